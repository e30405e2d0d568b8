# Shared parts of the scripts: the project's folder, the announcement of a step, the configuration of a preset on Debian
# and on macOS. Sourced, not run.

set -euo pipefail

PROJECT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$PROJECT_DIR"

# With these settings, two clones of one source share objects in the compiler cache if the objects use no precompiled
# header. Objects that use one differ by the clone, because clang keeps the header's absolute path.
export CCACHE_BASEDIR="$PROJECT_DIR" CCACHE_NOHASHDIR=1
# Settings that ccache needs to keep objects that read precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros

step() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 3
}

on_macos() { [ "$(uname -s)" = Darwin ]; }

# The clang tool of version 19 with this name: clang-format, clang-tidy, ...
llvm_tool() {
  if on_macos; then
    printf '%s/bin/%s' "$(brew --prefix llvm@19)" "$1"
  else
    printf '%s-19' "$1"
  fi
}

# configure PRESET [cmake arguments]: Homebrew has no clang++-19 in the path, so it is named.
configure() {
  local preset=$1
  shift
  if on_macos && [ "$preset" != gcc ]; then
    local llvm
    llvm="$(brew --prefix llvm@19)"
    set -- "-DCMAKE_C_COMPILER=$llvm/bin/clang" "-DCMAKE_CXX_COMPILER=$llvm/bin/clang++" "$@"
  fi
  cmake --preset "$preset" "$@"
}

# The number of parallel jobs: one for each processor, but at most one for each 1.5 GB of memory,
# because some sources need that much under sanitizers.
build_jobs() {
  local jobs memory
  jobs=$(getconf _NPROCESSORS_ONLN)
  if [ -r /proc/meminfo ]; then
    memory=$(awk '/^MemAvailable:/ {print int($2 / 1572864)}' /proc/meminfo)
    [ "$memory" -ge 1 ] || memory=1
    [ "$memory" -ge "$jobs" ] || jobs=$memory
  fi
  printf '%s' "$jobs"
}
