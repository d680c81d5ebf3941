# Sourced by the scripts: where things are, and how what is missing gets installed.
# shellcheck shell=bash

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$project" || exit 1

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$(basename "$0"): $*"
  exit 1
}

# The Swift toolchain may lie on PATH or where it is usually unpacked.
find_swift() {
  command -v swift >/dev/null && return
  local folder
  for folder in /usr/bin /opt/swift/usr/bin /opt/swift/bin /usr/local/swift/usr/bin \
    /usr/libexec/swift/bin "$HOME/.local/share/swiftly/bin"; do
    [ -x "$folder/swift" ] || continue
    export PATH="$folder:$PATH"
    return
  done
  fail "no Swift toolchain found; install Swift 6.3 or put its usr/bin on PATH"
}

# The packages of the groups named that are neither installed nor present as a program.
missing_packages() {
  local group package program
  while read -r group package program; do
    case " $* " in *" $group "*) ;; *) continue ;; esac
    [ -n "$program" ] && PATH="$PATH:/usr/sbin:/sbin" command -v "$program" >/dev/null && continue
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *" installed") ;;
      *) printf '%s\n' "$package" ;;
    esac
  done < <(sed 's/#.*//' "$project/scripts/packages.txt")
}

# Installs what is missing of the groups named; what is installed already is not touched.
install_packages() {
  local missing log as_root=()
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "not a Debian system; needed: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run as root: apt-get install ${missing[*]}"
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
  fi
  say "installing: ${missing[*]}"
  log=$(mktemp)
  if ! {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
        install --no-install-recommends --no-upgrade "${missing[@]}"
  } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "could not install: ${missing[*]}"
  fi
  rm -f "$log"
}

# Prometheus' own checker, on PATH or in .build/tools, where it comes out of the Debian package without
# the server that an installation would start (19 MB, once). Prints its path.
promtool_path() {
  local folder=$project/.build/tools
  command -v promtool && return
  if [ ! -x "$folder/promtool" ]; then
    mkdir -p "$folder"
    (
      cd "$folder" && apt-get -q -o Acquire::Retries=3 download prometheus &&
        dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x --strip-components=3 ./usr/bin/promtool
    ) >"$folder/promtool.log" 2>&1 </dev/null
    rm -f "$folder"/prometheus_*.deb
  fi
  [ -x "$folder/promtool" ] && printf '%s\n' "$folder/promtool"
}

# Megabytes that programs here may take, by the machine and by the limit of a container.
memory_mb() {
  local limit
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  awk -v limit="$limit" '
    /^MemTotal:/ { mb = $2 / 1024 }
    END { if (limit ~ /^[0-9]+$/ && limit / 1048576 < mb) mb = limit / 1048576; print int(mb) }' /proc/meminfo
}

# Release builds of the products named, with the Swift runtime inside as they are shipped. Optimising all
# modules together while linking takes 8 % off a push (docs/performance.md) and 7 GB of memory: a small
# machine builds without it.
build_release() {
  local product options=(--static-swift-stdlib)
  if [ "$(memory_mb)" -ge 12000 ]; then options+=(--experimental-lto-mode=full); fi
  mkdir -p "$project/.build"
  for product in "$@"; do
    say "building $product (release)"
    swift build -c release "${options[@]}" --product "$product" >"$project/.build/build-$product.log" 2>&1 </dev/null || {
      grep -E 'error:' "$project/.build/build-$product.log" | head -n 20 >&2
      fail "building $product failed; the whole log: .build/build-$product.log"
    }
  done
}
