# Sourced by scripts/setup, scripts/test and scripts/dev: runs steps with progress, and defines the shared ones.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/native-modules.bash"
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

# A script that changes a working installation sets `undo` to the function that restores it after a failed step.
undo=''
undo_what_was_begun() {
  local function=$undo
  # Cleared first, because a step of that function may fail too.
  undo=''
  [ -z "$function" ] || "$function" >&2
}

# note TEXT: the text that is shown after the name of the current step.
note() { printf '%s' "$*" >"$work/note"; }

# step NAME REMEDY COMMAND…: runs the command with its output in a log. If it fails, shows the end of the log and the
# remedy, and exits.
step() {
  local name=$1 remedy=$2 started=$SECONDS status=0 said
  shift 2
  : >"$work/note"
  # A process group of its own, so that an interrupt ends all its processes.
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
    undo_what_was_begun
    die "Failed: $name (exit code $status)." "$remedy"
  fi
  said=$(cat "$work/note")
  [ $((SECONDS - started)) -lt 2 ] || said="${said:+$said, }$((SECONDS - started)) s"
  printf '  %s✓%s %-24s %s\n' "$green" "$plain" "$name" "$said"
}

# Shows a moving line on a terminal; elsewhere prints the name of a step that takes longer than a second.
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

# Asks for the password before the step, which has no terminal.
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

least_node=20.19 recommended_node=24

has_node() {
  command -v node >/dev/null && command -v npm >/dev/null && dpkg --compare-versions "$(node -p process.versions.node)" ge "$least_node"
}

# Installs Debian's Node.js if it is new enough, as from Debian 13 on.
need_node() {
  if has_node; then return; fi
  local offered
  offered=$(apt-cache policy nodejs | awk '/Candidate:/ { print $2 }')
  if dpkg --compare-versions "${offered:-0}" ge "$least_node"; then
    become_root
    step 'Node.js' 'Check the network and /etc/apt/sources.list, then try: apt-get install nodejs npm' install_packages nodejs npm
    hash -r
    if has_node; then return; fi
  fi
  die "$(node_in_words), and Debian offers $(offered_in_words "$offered"): Strongroom needs Node.js $least_node or later, best $recommended_node." \
    'Install it from the packages that its makers name (https://nodejs.org/en/download), as root:' '' \
    '  apt-get install -y ca-certificates curl gnupg' \
    '  curl -fsSL https://deb.nodesource.com/gpgkey/nodesource-repo.gpg.key | gpg --dearmor -o /usr/share/keyrings/nodesource.gpg' \
    "  echo 'deb [signed-by=/usr/share/keyrings/nodesource.gpg] https://deb.nodesource.com/node_$recommended_node.x nodistro main' \\" \
    '    >/etc/apt/sources.list.d/nodesource.list' \
    '  apt-get update && apt-get install -y nodejs' '' 'Then run this again.'
}

node_in_words() {
  if ! command -v node >/dev/null; then echo 'Node.js is not installed'
  elif ! command -v npm >/dev/null; then echo "$(command -v node) has no npm beside it"
  else echo "Node.js $(node -p process.versions.node) in $(command -v node) is too old"; fi
}

offered_in_words() { case $1 in '' | '(none)') echo none ;; *) echo "${1%%+*}" ;; esac; }

install_modules() {
  cd "$root"
  # `npm ci` would empty the folder that a link points to, which other working trees share.
  if [ -L node_modules ]; then note 'a link to a shared folder, taken as it is'; return; fi
  # npm writes this file last. If it is newer than the lock file, the installed packages are those of the lock file.
  if [ node_modules/.package-lock.json -nt package-lock.json ] && loads_database_module; then note 'up to date'; return; fi
  npm_config_build_from_source=true npm ci --no-audit --no-fund
  mend_database_module
  touch node_modules/.package-lock.json
  note 'installed, native parts compiled'
}

build() {
  cd "$root"
  if [ -e dist/bin/strongroomd.js ] && [ -x dist/hsm/ceremony ] &&
    [ -z "$(find src softhsm package.json package-lock.json tsconfig.json scripts/build scripts/build-program.mjs scripts/vite.config.mjs -newer dist/bin/strongroomd.js -print -quit)" ]; then
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
