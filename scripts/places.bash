# Sourced by scripts/setup and scripts/dev: the paths of all files and folders, for a trial below $demo or for this
# machine.

label=strongroom
# Number of token hosts in a new configuration; workers and the keeper need cores too.
cores=$(nproc)
hosts=$((cores < 2 ? 1 : cores < 4 ? 2 : cores < 16 ? cores / 2 : 8))

socket_list() {
  local number list=''
  for number in $(seq "$hosts"); do list+="${list:+,}\"$1/$number.sock\""; done
  echo "[$list]"
}

if [ -n "$demo" ]; then
  demo=$(realpath -m "$demo")
  # The path of a unix socket may have at most 107 characters (unix(7)).
  [ "${#demo}" -le 90 ] || die "The path $demo is too long for unix sockets." 'Choose a shorter one.'
  program=$root earlier=''
  host=127.0.0.1
  config=$demo/strongroom.json
  token=$demo/token pin=$demo/token/pin pin_setting=$demo/token/pin
  certificate=$demo/tls/server.pem ca=$demo/tls/ca.pem ca_key=$demo/tls/ca.key
  tls_key=$demo/tls/server.key tls_key_setting=$demo/tls/server.key
  data=$demo/data sockets=$(socket_list "$demo/run") spawn=true
  pid_file=$demo/strongroomd.pid log_file=$demo/strongroomd.log
  credentials=$demo/demo-credentials.json
  console=("$demo/strongroom")
else
  program=/usr/lib/strongroom earlier=/usr/lib/strongroom.old
  host=0.0.0.0
  config=/etc/strongroom/strongroom.json
  secrets=/etc/strongroom/credentials
  token=/var/lib/strongroom-token pin=$secrets/pin
  certificate=/etc/strongroom/tls/server.pem ca=/etc/strongroom/tls/ca.pem ca_key=$secrets/ca-key
  tls_key=$secrets/tls-key
  # The loader finds these in CREDENTIALS_DIRECTORY, which systemd or the commands in /usr/local/bin set.
  pin_setting='${CREDENTIALS_DIRECTORY}/pin' tls_key_setting='${CREDENTIALS_DIRECTORY}/tls-key'
  data=/var/lib/strongroom
  token_user=strongroom-token sockets=$(socket_list /run/strongroom-token)
  if [ -n "$systemd" ]; then spawn=false; else spawn=true; fi
  pid_file=/run/strongroom/strongroomd.pid log_file=/var/log/strongroomd.log
  credentials=$secrets/first-run.json
  # The package sets this to /usr/bin.
  commands=${commands:-/usr/local/bin}
  console=("$commands/strongroom")
fi

# as_owner_of FOLDER COMMAND…: runs the command as the folder's owner, because root would follow links that this user
# may have placed there.
as_owner_of() {
  local user group
  read -r user group < <(stat -L -c '%u %g' "$1")
  shift
  if [ "$user" = "$EUID" ]; then "$@"; else setpriv --reuid "$user" --regid "$group" --clear-groups "$@"; fi
}

make_folders() {
  if [ -n "$demo" ]; then
    # Only these folders get this mode: a folder that existed keeps its own.
    (umask 077; mkdir -p "$demo/tls" "$demo/data/audit" "$demo/run" "$demo/token")
    chmod 0700 "$demo/tls" "$demo/data" "$demo/data/audit" "$demo/run" "$demo/token"
    printf '#!/bin/sh\nexec "%s" "%s/dist/bin/strongroom.js" --config "%s" "$@"\n' "$(command -v node)" "$root" "$config" >"$demo/strongroom"
    chmod 0755 "$demo/strongroom"
    note "below $demo"
    return
  fi
  local user
  for user in strongroom "$token_user"; do
    id "$user" >/dev/null 2>&1 || useradd --system --user-group --home-dir "/var/lib/$user" --no-create-home --shell /usr/sbin/nologin "$user"
  done
  install -d -m 0755 /etc/strongroom /etc/strongroom/tls
  install -d -m 0700 -o strongroom -g strongroom "$data"
  as_owner_of "$data" mkdir -p -m 0700 "$data/audit"
  install -d -m 0700 -o "$token_user" -g "$token_user" "$token"
  if [ -n "$systemd" ]; then
    install -d -m 0700 "$secrets"
    install -d -m 0755 /run/strongroom-token
  else
    # Each of the two users reads its own file in this folder.
    install -d -m 0711 -o root -g root "$secrets" /run/strongroom
    install -d -m 0750 -o "$token_user" -g strongroom /run/strongroom-token
  fi
  note 'below /etc/strongroom and /var/lib/strongroom'
}

# Without systemd the two users read their credentials themselves, so each gets its own files.
hand_over() {
  [ -n "$demo" ] && return
  chown -R "$token_user:" "$token"
  local file
  # The administrator may have moved any of these files: the key of the CA to a safe place, the others into a TPM.
  for file in "$pin" "$tls_key" "$ca_key"; do [ ! -e "$file" ] || chmod 0400 "$file"; done
  [ -z "$systemd" ] || return 0
  [ ! -e "$pin" ] || chown "$token_user:" "$pin"
  [ ! -e "$tls_key" ] || chown strongroom: "$tls_key"
}

# A hash of the build's files and of the ABI of Node.js. If it is unchanged, there is nothing to copy.
program_stamp() {
  (cd "$root" && { node -p process.versions.modules; find dist softhsm package-lock.json -type f -printf '%P %s %T@\n' | sort; } | sha256sum)
}

# Copies the files of the current build; a checkout may contain others from earlier builds.
copy_build() {
  mkdir -p "$1/dist"
  (cd "$root/dist" && cp -a --parents bin modules web http/examples hsm/ceremony "$1/dist")
  # The file does not exist if the sources came without git.
  [ ! -e "$root/dist/commit" ] || cp -a "$root/dist/commit" "$1/dist"
}

# Copies the new program beside the installed one, which may be running; does nothing if they are the same.
stage_program() {
  local node
  node=$(readlink -f "$(command -v node)")
  case $node in
    /root/* | /home/*) echo "$node lies in a home folder, which the daemon's user cannot read."; exit 1 ;;
  esac
  rm -rf "$program.new" "$program.unfinished"
  if [ "$(cat "$program/.built-from" 2>/dev/null)" = "$(program_stamp)" ]; then note "up to date, in $program"; return; fi
  install -d -m 0755 "$program.unfinished"
  # Links in the checkout are followed: `npm prune` below must not remove packages from a shared folder.
  copy_build "$program.unfinished"
  cp -aH "$root"/{node_modules,softhsm,systemd,scripts,docs,config,package.json,package-lock.json,README.md} "$program.unfinished"
  (cd "$program.unfinished" && npm prune --omit=dev --offline --ignore-scripts --no-audit --no-fund)
  chown -R root:root "$program.unfinished"
  chmod -R go+rX,go-w "$program.unfinished"
  program_stamp >"$program.unfinished/.built-from"
  mv "$program.unfinished" "$program.new"
  note "for $program"
}

# Installs the new program. The earlier one is kept beside it until the new one has come up; a program that never came
# up is not kept.
install_program() {
  if [ -e "$program.new" ]; then
    if [ -e "$earlier" ]; then rm -rf "$program"; elif [ -e "$program" ]; then mv "$program" "$earlier"; fi
    mv "$program.new" "$program"
  fi
  write_commands
  note "in $program"
}

# Writes the commands and units that start the program, also after an earlier program was restored.
write_commands() {
  local node
  node=$(readlink -f "$(command -v node)")
  write_command strongroom "$node" "$commands"
  write_command strongroomd "$node" "$commands"
  if [ -n "$systemd" ]; then install_units "$node"; fi
}

# write_command NAME NODE FOLDER
write_command() {
  cat >"$3/$1" <<TEXT
#!/bin/sh
# systemd gives services their credentials; an administrator's command finds them where they are kept.
export CREDENTIALS_DIRECTORY="\${CREDENTIALS_DIRECTORY:-$secrets}"
exec $2 $program/dist/bin/$1.js "\$@"
TEXT
  chmod 0755 "$3/$1"
}

# write_units NODE FROM TO: copies the units, with the path of this Node.js.
write_units() {
  local unit
  for unit in "$2"/*.{service,socket,timer}; do
    if [ -e "$unit" ]; then sed "s|/usr/bin/node|$1|" "$unit" >"$3/${unit##*/}"; fi
  done
}

install_units() {
  write_units "$1" "$program/systemd" /etc/systemd/system
  install -m 0644 "$program/systemd/strongroom.tmpfiles" /etc/tmpfiles.d/strongroom.conf
  systemctl daemon-reload
}
