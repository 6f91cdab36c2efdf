#!/usr/bin/env bash
# Installs the browser that the tests of pages drive, where there is none: Debian's Chromium. Prints its path.
set -euo pipefail
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
browser && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "browser: missing; install it, on Debian with: sudo apt-get install chromium" >&2
    exit 1
fi
echo "browser: installing chromium" >&2
apt-get update -qq >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
browser
