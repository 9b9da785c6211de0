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

# The whole suite
test:
    scripts/test

# What a page can find out, as a report
detect *args:
    scripts/detect {{args}}

# Compare with raw Chromium and raw CDP
bench *args:
    scripts/bench {{args}}

# Make the pictures of the README again, from the release binary
picture:
    scripts/picture

# Accept the snapshot files as they are now; look at the diff before you commit
bless *args="--workspace":
    INSTA_UPDATE=always cargo test {{args}}

# Format
fmt:
    cargo fmt --all

# Lint as the suite does
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# The crates' documentation in a browser
doc:
    cargo doc --workspace --no-deps --open
