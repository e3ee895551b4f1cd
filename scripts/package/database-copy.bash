# Sourced by configure, over scripts/upgrade.bash: what the package keeps of the database while dpkg exchanges the program. `before` is
# the version that was configured last.

own_version() { dpkg-query -W -f '${Version}' strongroom; }
copy_version() { cat "$(option store.sqlite).before-upgrade-version" 2>/dev/null || true; }
# dpkg names the version that was last configured: an upgrade that failed was none.
is_cut_short() { [ "$(copy_version)" = "$before" ]; }

# Before the tables change; nothing runs meanwhile. The package of the release that a copy is of gets it back.
prepare_database() {
  local database
  database=$(option store.sqlite)
  if [ -z "$database" ]; then note 'none: a copy of PostgreSQL is yours to make (docs/operations.md)'; return; fi
  if [ ! -e "$database" ]; then note 'none is needed: there is no database yet'; return; fi
  # A try before this one may have left the keeper running.
  if [ -e "$database.before-upgrade" ] && is_cut_short && [ "$before" != "$(own_version)" ]; then note 'there is one already'; return; fi
  if [ -n "$(serving)" ]; then note 'none: the daemon runs'; return; fi
  if [ -e "$database.before-upgrade" ] && [ "$(copy_version)" = "$(own_version)" ]; then
    if has_served; then
      keep_copy "$database"
      note "not put back, because the newer release has answered calls: $database.before-failed-upgrade"
    else
      put_back_database
      note 'put back, as it was before the upgrade'
    fi
    return
  fi
  copy_database
  echo "$before" | as_owner_of "$(dirname "$database")" tee "$database.before-upgrade-version" >/dev/null
}

# What has not been started yet may still have to go back.
forget_copy() {
  local database
  database=$(option store.sqlite)
  if [ -z "$database" ] || ! is_running; then return; fi
  rm -f "$database".before-upgrade*
}

is_running() { if [ -n "$systemd" ]; then systemctl --quiet is-active strongroom.service; else [ -n "$(serving)" ]; fi; }
