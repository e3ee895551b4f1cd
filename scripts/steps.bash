# Sourced by scripts/setup, scripts/test and scripts/dev: steps with progress, and the steps that they share.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
step_pid=''
if [ -t 1 ]; then tty=1 bold=$'\e[1m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'; else tty='' bold='' green='' red='' plain=''; fi

finish() { rm -rf "$work"; }
interrupted() {
  trap '' INT TERM
  [ -z "$step_pid" ] || kill -TERM -- "-$step_pid" 2>/dev/null || true
  printf '\n%sStopped.%s What was finished stays; run the same command again to go on.\n' "$red" "$plain" >&2
  exit 130
}
trap finish EXIT
trap interrupted INT TERM

die() {
  printf '\n%s%s%s\n' "$red" "$1" "$plain" >&2
  [ $# -lt 2 ] || printf '%s\n' "${@:2}" >&2
  exit 1
}

# What a step wants to say for itself, beside its name.
note() { printf '%s' "$*" >"$work/note"; }

# step NAME REMEDY COMMAND…: runs the command with its output in a log; when it fails, says so and shows the end of the log.
step() {
  local name=$1 remedy=$2 started=$SECONDS status=0 said
  shift 2
  : >"$work/note"
  # A process group of its own, so that an interrupt ends all of it.
  set -m
  (set +m; trap - EXIT INT TERM; "$@") >"$work/log" 2>&1 </dev/null &
  step_pid=$!
  set +m
  watch_step "$name" "$started"
  wait "$step_pid" || status=$?
  step_pid=''
  [ -z "$tty" ] || printf '\r\e[K'
  if [ "$status" -ne 0 ]; then
    printf '  %s✗%s %s\n' "$red" "$plain" "$name" >&2
    tail -n 15 "$work/log" | sed 's/^/      /' >&2
    die "Failed: $name (exit code $status)." "$remedy"
  fi
  said=$(cat "$work/note")
  [ $((SECONDS - started)) -lt 2 ] || said="${said:+$said, }$((SECONDS - started)) s"
  printf '  %s✓%s %-24s %s\n' "$green" "$plain" "$name" "$said"
}

# On a terminal a line that moves; elsewhere a word about what takes longer than a second.
watch_step() {
  local frames='|/-\' at=0
  while kill -0 "$step_pid" 2>/dev/null; do
    if [ -n "$tty" ]; then
      printf '\r\e[K  %s %s  %s s' "${frames:at++%4:1}" "$1" $((SECONDS - $2))
    elif [ $((++at)) -eq 10 ]; then
      printf '  … %s\n' "$1"
    fi
    sleep 0.1
  done
}

as_root() { if [ "$EUID" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# Asks for the password here, because a step has no terminal.
become_root() {
  [ "$EUID" -ne 0 ] || return 0
  command -v sudo >/dev/null || die 'This needs root, and sudo is not installed.' 'Run it as root.'
  sudo -v || die 'This needs root.' 'Run it as root, or as a user who may use sudo.'
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

install_packages() {
  as_root apt-get -q update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@"
  note "installed: $*"
}

need_packages() {
  command -v dpkg-query >/dev/null || die 'This is no Debian system.' "Only Debian 12 and 13 are supported; what is needed: $*"
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if [ "${#missing[@]}" -eq 0 ]; then
    step 'Debian packages' '' note 'all there'
  else
    become_root
    step 'Debian packages' "Check the network and /etc/apt/sources.list, then try: apt-get install ${missing[*]}" \
      install_packages "${missing[@]}"
  fi
}

need_node() {
  local where='Install Node.js 20.19 or later with npm: https://nodejs.org/en/download (Debian 13: apt install nodejs npm).'
  command -v node >/dev/null && command -v npm >/dev/null || die 'Node.js or npm is not installed.' "$where"
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    die "Node.js $(node --version) is too old." "$where"
}

install_modules() {
  cd "$root"
  # npm ci empties the folder that a link points to, which other working trees share.
  if [ -L node_modules ]; then note 'a link to a shared folder, taken as it is'; return; fi
  # npm writes this file last: newer than the lock file, it says that what is installed is what is locked.
  if [ node_modules/.package-lock.json -nt package-lock.json ]; then note 'up to date'; return; fi
  npm_config_build_from_source=true npm ci --no-audit --no-fund
  touch node_modules/.package-lock.json
  note 'installed, native parts compiled'
}

build() {
  cd "$root"
  if [ -e dist/bin/strongroomd.js ] && [ -x dist/hsm/ceremony ] &&
    [ -z "$(find src softhsm package.json tsconfig.json tsconfig.build.json -newer dist/bin/strongroomd.js -print -quit)" ]; then
    note 'up to date'
    return
  fi
  npm run --silent build
  note 'compiled'
}

prepare_program() {
  step 'Node packages' 'Check the network and the registry (npm config get registry), then run this again.' install_modules
  step 'Program' 'The message above names the file; in a clean clone this should not happen.' build
}
