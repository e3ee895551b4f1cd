# Sourced by scripts/setup and scripts/dev: makes a configured appliance with its first administrator in an empty
# folder.

# Whether an interrupted run made the token and did not describe it; nothing uses it yet.
is_half_made() { [ -e "$token/pin" ] && [ ! -e "$token/token.json" ] && [ ! -e "$config" ]; }

make_token() {
  if { [ -e "$pin" ] || [ -e "$pin.cred" ]; } && ! is_half_made; then note 'exists'; return; fi
  # If nobody reads the output, the SO PIN is kept in a file until its owner takes it away.
  "$program/softhsm/init-token" --directory "$token" --label "$label" ${so_pin_file:+--keep-so-pin} --json >"$work/token.json"
  local so_pin
  so_pin=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).soPin' "$work/token.json")
  sed 's/,"soPin":"[^"]*"//' "$work/token.json" >"$token/token.json.new"
  mv "$token/token.json.new" "$token/token.json"
  rm "$work/token.json"
  # The PIN may be kept outside the token's folder.
  [ -z "${so_pin_file:-}" ] || [ ! -e "$token/so-pin" ] || mv "$token/so-pin" "$so_pin_file"
  [ "$token/pin" = "$pin" ] || mv "$token/pin" "$pin"
  if [ -n "${so_pin_file:-}" ]; then note "made; its SO PIN is in $so_pin_file"; return; fi
  if [ -z "$so_pin" ]; then note 'existed; its SO PIN was shown to the run that made it, if at all'; return; fi
  note "made. ${bold}SO PIN: $so_pin$plain  Write it down: it is shown this once and kept nowhere on this machine."
}

make_tls() {
  if [ -e "$certificate" ]; then note 'exist'; return; fi
  "$root/scripts/make-certificate" "$ca_key" "$ca" "$tls_key" "$certificate"
  note "made; clients need $ca"
}

write_config() {
  local separate=()
  [ -n "$demo$systemd" ] || separate=("processes.workers=strongroom" "processes.inside=$token_user")
  if [ -e "$config" ] && [ "${#separate[@]}" -gt 0 ] && ! grep -q '"processes"' "$config"; then
    # Release 0.2.0 ran all processes under one user.
    if daemon_pid >/dev/null; then echo "Stop the daemon first, because its token hosts get a user of their own: kill $(daemon_pid)"; exit 1; fi
    node "$root/scripts/write-config.mjs" --over "$config" "${separate[@]}" "hsm.sockets=$sockets"
  fi
  hand_over
  if [ -e "$config" ]; then note "exists: $config"; return; fi
  local module uri
  read -r module uri < <(node -p 'const t = JSON.parse(require("fs").readFileSync(process.argv[1])); `${t.module} ${t.uri}`' "$token/token.json")
  node "$root/scripts/write-config.mjs" "$config" "http.host=$host" "http.port=$(choose_port)" \
    "tls.certificate=$certificate" "tls.key=$tls_key_setting" \
    "hsm.module=$module" "hsm.token=$uri" "hsm.pinFile=$pin_setting" "hsm.sockets=$sockets" "hsm.spawn=$spawn" \
    "hsm.softhsmConf=$token/softhsm2.conf" "hsm.tokenDirectory=$token/tokens" \
    "store.sqlite=$data/strongroom.db" "audit.directory=$data/audit" ${demo:+"monitor.port=0"} "${separate[@]}" \
    $([ "${STRONGROOM_SETUP:-}" != movable ] || echo hsm.movable=true)
  note "written: $config"
}

# with_credentials COMMAND…: runs the command with the credentials. If the PIN is encrypted to this machine
# (systemd/README.md), only systemd can decrypt it.
with_credentials() {
  if [ -z "${systemd:-}" ] || [ -e "$pin" ] || [ ! -e "$pin.cred" ]; then "$@"; return; fi
  local file properties=()
  for file in "$secrets"/*; do
    case $file in
      *.next) ;;
      *.cred) properties+=(-p "LoadCredentialEncrypted=$(basename "$file" .cred):$file") ;;
      *) properties+=(-p "LoadCredential=$(basename "$file"):$file") ;;
    esac
  done
  systemd-run --quiet --pipe --wait --collect "${properties[@]}" "$@"
}

init_appliance() {
  with_credentials "${console[@]}" --json init >"$work/init.json"
  note "$(node -p 'const { created, present, database } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    `${created.length} root keys made, ${present.length} existed; database ${database.existed ? "existed" : "made"}`' "$work/init.json")"
  node -p 'const { backups } = JSON.parse(require("fs").readFileSync(process.argv[1]));
    !backups ? "" : backups.failure ? `backups of keys were not moved (${backups.failure}): see doctor below`
      : `${backups.moved} backups of keys moved from under ${backups.under.join(", ")}: see docs/operations-keys.md on backups that were taken out`' \
    "$work/init.json" | while read -r line; do [ -z "$line" ] || note "$line"; done
}

# Whether the first administrator does not exist yet, or was made by an interrupted run.
is_first_run() { [ -e "$credentials" ] || [ "$("${console[@]}" --json user list)" = '[]' ]; }

first_credentials() {
  local before
  before=$(cat "$credentials" 2>/dev/null || true)
  node "$root/scripts/first-credentials.mjs" "$credentials" "${console[@]}"
  if [ "$before" = "$(cat "$credentials")" ]; then note "exists, see $credentials"; return; fi
  note 'admin, with pass phrase, TOTP and application key'
}

command_line() { if [ -n "$demo" ]; then echo "${console[0]}"; else echo strongroom; fi; }

show_credentials() {
  local passphrase key uri
  { read -r passphrase; read -r key; read -r uri; } < <(node -p \
    'const c = JSON.parse(require("fs").readFileSync(process.argv[1])); [c.passphrase, c.applicationKey, c.totpUri].join("\n")' "$credentials")
  printf '\n%sThe first administrator%s\n' "$bold" "$plain"
  printf '  user name        admin\n  pass phrase      %s\n  application key  %s\n' "$passphrase" "$key"
  printf '  authenticator    scan or enter this:\n\n'
  node "$root/scripts/show-qr.mjs" "$credentials"
  printf '\n  %s\n\n' "$uri"
  if [ -n "$demo" ]; then
    printf '  For trying out only: all of this is kept in %s.\n' "$credentials"
  else
    printf '  %sKeep them now: they are shown this once and stored nowhere.%s\n' "$bold" "$plain"
    rm -f "$credentials"
    ca_key_told=1
  fi
}
