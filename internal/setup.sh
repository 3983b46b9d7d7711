# What ./run and ./test share: find Go, install what a fresh Debian machine
# lacks, keep other programs quiet unless they fail. Sourced by bash, with
# $top set to the top of the repository.

say() { printf '== %s\n' "$*"; }
complain() { printf '%s\n' "$@" >&2; }

# mask hides where packages are fetched from: it differs between machines and
# is nobody's business in a log.
mask() { sed -E 's#(https?://)[^/ "]+#\1…#g'; }

# quietly runs a command and shows what it printed only if it fails.
quietly() {
  local out status=0
  out=$("$@" 2>&1 </dev/null) || status=$?
  if [ "$status" -ne 0 ]; then
    complain "$(printf '%s\n' "$out" | tail -n 25 | mask)"
  fi
  return "$status"
}

# as_root runs a command as root, through sudo if need be.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    complain "root is needed to run: $*" "Run it as root, or install sudo."
    return 1
  fi
}

apt_updated=
# apt installs Debian packages: apt WHAT-FOR PACKAGE...
apt() {
  local what=$1
  shift
  if ! command -v apt-get >/dev/null; then
    complain "$what is missing and this is not a Debian machine." "Install it with your package manager, then run this again (on Debian: $*)."
    return 1
  fi
  say "installing $what ($*)"
  if [ -z "$apt_updated" ]; then
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q || return 1
    apt_updated=yes
  fi
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

# need_go puts a Go that is new enough for go.mod first in PATH.
need_go() {
  local want have
  want=$(awk '$1 == "go" { print $2; exit }' "$top/go.mod")
  command -v go >/dev/null || PATH=/usr/local/go/bin:$PATH
  if ! command -v go >/dev/null; then
    complain "Go $want or newer is needed, and there is no go in PATH or in /usr/local/go/bin." \
      "Get it from https://go.dev/dl/ and unpack it: tar -C /usr/local -xzf go$want.linux-amd64.tar.gz"
    return 1
  fi
  # An older go fetches the one that go.mod asks for, unless that is turned off.
  have=$(cd "$top" && go env GOVERSION 2>/dev/null) || have=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null)
  have=${have#go}
  case $have in
    [0-9]*)
      if [ "$(printf '%s\n' "$want" "${have%% *}" | sort -V | head -n 1)" != "$want" ]; then
        complain "Go $want or newer is needed; $(command -v go) is Go $have." \
          "Get a newer one from https://go.dev/dl/ and unpack it: rm -rf /usr/local/go; tar -C /usr/local -xzf go$want.linux-amd64.tar.gz"
        return 1
      fi
      ;;
    '')
      complain "$(command -v go) does not run." "Reinstall Go $want or newer from https://go.dev/dl/."
      return 1
      ;;
  esac
}

# need_cc installs a C compiler: the race detector needs it, and automerge-go,
# the C library that the tests compare with.
need_cc() {
  local probe
  probe='#include <stdlib.h>
int main(void) { return EXIT_SUCCESS; }'
  if ! printf '%s\n' "$probe" | ${CC:-gcc} -x c -o /dev/null - 2>/dev/null; then
    apt "a C compiler" gcc libc6-dev || return 1
  fi
  export CGO_ENABLED=1
}

# need_home gives Go a place for its caches where the environment has none, and
# what is found in PATH to the programs that are run.
need_home() {
  export PATH
  if [ -z "${HOME:-}" ]; then
    HOME=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
    export HOME=${HOME:-/tmp}
  fi
}
