# What a contributor does; the scripts do the work, so that nothing here is needed to build or test.

# Show the recipes
default:
    @just --list

# Build the binary for development
build:
    cargo build -p szk

# Release build, then the profile `demo` on a welcome page
start *args:
    scripts/start {{args}}

# The whole suite; `just test fast` without a browser, `just test NAME` end-to-end tests by name
test *args:
    scripts/test {{args}}

# What a page can find out, as a report
detect *args:
    scripts/detect {{args}}

# Compare with raw Chromium and raw CDP
bench *args:
    scripts/bench {{args}}

# What an agent's task costs in calls and characters, beside other tools
tasks *args:
    scripts/tasks {{args}}

# Make the pictures of the README again, from the release binary
picture:
    scripts/picture

# Write the generated files again; look at the diff before you commit
bless:
    scripts/bless

# Bans, licences, sources and advisories of what is linked
deny:
    scripts/deny

# Format
fmt:
    cargo fmt --all

# Lint as the suite does
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# The crates' documentation in a browser
doc:
    cargo doc --workspace --no-deps --open
