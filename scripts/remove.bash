# Sourced by scripts/setup: removes the installation. Data of users is kept unless --with-data is given and confirmed.

remove_installation() {
  [ -z "$with_data" ] || confirm_removal
  printf '%sStrongroom: removing it from this machine%s\n' "$bold" "$plain"
  local elsewhere
  elsewhere=$(data_elsewhere)
  step 'Daemon' 'Stop it yourself, then run this again.' stop_for_good
  step 'Program' 'Check who owns the files that are named above.' remove_program
  if [ -n "$with_data" ]; then
    step 'Data' 'Check who owns the files that are named above.' remove_data
  elif [ -e "$token" ]; then
    printf '\n%sKept%s: with these, scripts/setup makes it run again as it was\n' "$bold" "$plain"
    printf '  %s\n' /etc/strongroom "$token" "$data"
    printf '  To destroy them: scripts/setup --remove --with-data\n'
  fi
  [ -z "$elsewhere" ] || printf '\n%sNot touched%s, because the configuration has it elsewhere:\n%s\n' "$bold" "$plain" "$elsewhere"
}

# Data in the configuration that is in none of the usual folders.
data_elsewhere() {
  if [ ! -e "$config" ] || ! command -v node >/dev/null; then return 0; fi
  local name path
  for name in store.sqlite store.postgresUrl store.postgresUrlFile audit.directory hsm.tokenDirectory hsm.keeper.state; do
    path=$(option "$name")
    case $path in
      '' | "$data"/* | "$token"/* | /etc/strongroom/* | '${CREDENTIALS_DIRECTORY}'/*) ;;
      # A URL may contain a password.
      *://*) echo "  $name" ;;
      *) echo "  $name: $path" ;;
    esac
  done
}

stop_for_good() {
  stop_earlier
  note 'stopped'
  [ -d /run/systemd/system ] || return 0
  stop_units 'strongroom*'
  # Removes links of enabled units too, but not drop-ins, which belong to the administrator.
  find /etc/systemd/system -maxdepth 2 -name 'strongroom*' '(' -type f -o -type l ')' ! -path '*.d/*' -delete
  rm -f /etc/tmpfiles.d/strongroom.conf
  [ ! -d /etc/systemd/system/strongroom.service.wants ] || rmdir --ignore-fail-on-non-empty /etc/systemd/system/strongroom.service.wants
  systemctl daemon-reload
  systemctl reset-failed 'strongroom*'
}

remove_program() {
  rm -rf "$program" "$program.new" "$program.unfinished" "$earlier" /run/strongroom /run/strongroom-token
  rm -f "$commands/strongroom" "$commands/strongroomd"
  note "$program, its units and commands"
}

remove_data() {
  local user
  rm -rf /etc/strongroom "$data" "$token" "$log_file"
  rm -rf /etc/systemd/system/strongroom*.d
  for user in strongroom "$token_user"; do
    if id "$user" >/dev/null 2>&1; then userdel "$user"; fi
  done
  note 'token, database, audit trail, configuration, users'
}

# The data cannot be restored, so the administrator must type the name of this machine.
confirm_removal() {
  local answer=''
  printf '%sThis destroys the token, the database and the audit trail of this machine.%s\n' "$bold" "$plain"
  printf 'Nothing that was encrypted can be read again. Type the name of this machine (%s) to go on: ' "$(hostname)"
  read -r answer || true
  [ "$answer" = "$(hostname)" ] || die 'Nothing was removed.' "The answer was not the name of this machine, $(hostname)."
  printf '\n'
}
