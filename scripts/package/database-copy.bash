# Sourced by configure after scripts/upgrade.bash, some of whose functions it replaces: the package's copy of the
# database while dpkg replaces the program. `before` is the version that was configured last.

own_version() { dpkg-query -W -f '${Version}' strongroom; }
copy_version() { cat "$(option store.sqlite).before-upgrade-version" 2>/dev/null || true; }
# Whether the copy was made by an interrupted upgrade from `before`: dpkg gives the version that was configured last,
# and a failed upgrade configures none.
is_cut_short() { [ "$(copy_version)" = "$before" ]; }

# Copies the database before its tables change, while nothing runs. If the package is of the release that made an
# existing copy, restores that copy instead.
prepare_database() {
  local database
  database=$(option store.sqlite)
  if [ -z "$database" ]; then note 'none: a copy of PostgreSQL is yours to make (docs/operations.md)'; return; fi
  if [ ! -e "$database" ]; then note 'none is needed: there is no database yet'; return; fi
  # Checked before `serving`, because an earlier attempt may have left the keeper running.
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

# Removes the copy once the daemon runs; until then it may have to be restored.
forget_copy() {
  local database
  database=$(option store.sqlite)
  if [ -z "$database" ] || ! is_running; then return; fi
  rm -f "$database".before-upgrade*
}

is_running() { if [ -n "$systemd" ]; then systemctl --quiet is-active strongroom.service; else [ -n "$(serving)" ]; fi; }
