# Sourced by scripts/setup: replaces the installed program, and restores it if the new one does not come up. The
# package, whose program dpkg replaces, uses only the functions about the database.

option() { node -p 'process.argv[2].split(".").reduce((at, name) => at?.[name], JSON.parse(require("fs").readFileSync(process.argv[1]))) ?? ""' "$config" "$1"; }

# Copies the database, with its write-ahead log, while nothing runs. Without that log, the copy of a database that was
# not closed lacks the last changes.
copy_database() {
  local database folder
  database=$(option store.sqlite) folder=$(dirname "$(option store.sqlite)")
  if [ -z "$database" ]; then note 'none: a copy of PostgreSQL is yours to make (docs/operations.md)'; return; fi
  if [ -e "$database.before-upgrade" ] && is_cut_short; then note 'there is one already'; return; fi
  rm -f "$database".before-upgrade*
  trail_sizes | as_owner_of "$folder" tee "$database.before-upgrade-trail" >/dev/null
  if [ -s "$database-wal" ]; then as_owner_of "$folder" cp -a --reflink=auto "$database-wal" "$database.before-upgrade-wal"; fi
  as_owner_of "$folder" cp -a --remove-destination --reflink=auto "$database" "$database.unfinished"
  mv "$database.unfinished" "$database.before-upgrade"
  note "$database.before-upgrade"
}

# Whether the existing copy is of this upgrade, made before the new program was installed.
is_cut_short() { [ -e "$earlier" ]; }

trail_sizes() { find "$(option audit.directory)" \( -name '*worker-*.jsonl' -o -name '*console.*.jsonl' \) -type f -printf '%s %p\n'; }

# Whether the new program has answered a call of a client. Calls by setup and doctor do not count.
has_served() {
  local size file before before_size
  before=$(option store.sqlite).before-upgrade-trail
  while read -r size file; do
    before_size=$(awk -v file="$file" '$2 == file { print $1 }' "$before")
    if [ "$size" -gt "${before_size:-0}" ] && tail -c "+$((${before_size:-0} + 1))" "$file" |
      grep '"type":"event"' | grep -vE '"operation":"(authinfo.logintypes|console.init)"' >/dev/null; then return 0; fi
  done < <(trail_sizes)
  return 1
}

put_back_database() {
  local database
  database=$(option store.sqlite)
  rm -f "$database-wal" "$database-shm"
  [ ! -e "$database.before-upgrade-wal" ] || mv "$database.before-upgrade-wal" "$database-wal"
  mv "$database.before-upgrade" "$database"
  rm -f "$database.before-upgrade-trail" "$database.before-upgrade-version"
}

# Keeps the copy together with its log: without it, a database that was not closed lacks the last changes.
keep_copy() {
  rm -f "$1.before-failed-upgrade-wal" "$1.before-upgrade-trail" "$1.before-upgrade-version"
  [ ! -e "$1.before-upgrade-wal" ] || mv "$1.before-upgrade-wal" "$1.before-failed-upgrade-wal"
  mv "$1.before-upgrade" "$1.before-failed-upgrade"
}

put_back_program() {
  rm -rf "$program"
  mv "$earlier" "$program"
  write_commands
  note "in $program"
}

forget_earlier() {
  local database
  database=$(option store.sqlite)
  rm -rf "$earlier"
  note 'done: the earlier program is gone'
  [ -z "$database" ] || rm -f "$database".before-upgrade*
}

# Called by a failed step before it ends setup.
roll_back() {
  local database
  database=$(option store.sqlite)
  printf '\n%sThe new program does not come up, so the earlier one goes on.%s\n' "$bold" "$plain"
  # The two releases use different protocols, so this release cannot check the token of the earlier program.
  health_checks=daemon
  if [ -e "$earlier" ]; then
    step 'New program' "$by_hand" stop_earlier
    if [ -z "$database" ] || [ ! -e "$database.before-upgrade" ]; then :
    elif has_served; then
      keep_copy "$database"
      printf '    The new program has answered calls, so the database stays as it is. When the earlier one does not open it,\n    %s is from before; what those calls changed is not in it.\n' \
        "$database.before-failed-upgrade"
    else
      step 'Database, as it was' "$by_hand" put_back_database
    fi
    step 'Program, as it was' "$by_hand" put_back_program
  fi
  step 'Daemon, as it was' "$by_hand" start_daemon
}
by_hand='"When an upgrade fails" in docs/operations.md says what lies where, and how to go on by hand.'
