# Sourced by scripts/setup and scripts/dev: starts and stops the daemon, under systemd or directly.

daemon_pid() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null) || return 1
  grep -qzF -- "$config" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

port() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).http?.port ?? 443' "$config"; }

base_url() {
  local number
  number=$(port)
  echo "https://localhost$([ "$number" = 443 ] || echo ":$number")"
}

# A free port for a trial; otherwise the standard port of HTTPS.
choose_port() {
  if [ -z "$demo" ]; then echo 443; return; fi
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

# The socket units for the sockets in the configuration.
socket_units() {
  node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).hsm.sockets
    .map((path) => `strongroom-token@${require("path").basename(path, ".sock")}.socket`).join("\n")' "$config"
  printf '%s\n' strongroom-token@key-maker.socket strongroom-keeper.socket strongroom-keeper-operator.socket
}

start_daemon() {
  if [ -n "$systemd" ]; then
    local units
    mapfile -t units < <(socket_units)
    systemctl reset-failed 'strongroom*'
    systemctl enable "${units[@]}" strongroom.service
    systemctl start "${units[@]}"
    # Without waiting, because systemctl would wait for a hanging program up to TimeoutStartSec=, which allows for large
    # migrations.
    systemctl start --no-block strongroom.service
  elif ! daemon_pid >/dev/null; then
    # The shell writes its own process number, which the daemon keeps after exec.
    (
      [ -z "${secrets:-}" ] || export CREDENTIALS_DIRECTORY=$secrets
      umask 077
      setsid sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$pid_file" \
        "$(command -v node)" "$program/dist/bin/strongroomd.js" --config "$config" >>"$log_file" 2>&1 </dev/null &
    )
    program_stamp >"$pid_file.built-from"
    note "started directly, log in $log_file"
  else
    note "runs already, process $(daemon_pid)"
  fi
  wait_until_ready
}

wait_until_ready() {
  local deadline=$((SECONDS + 60))
  until is_healthy; do
    if has_ended; then echo 'It has ended:'; journal; exit 1; fi
    [ "$SECONDS" -lt "$deadline" ] || { cat "$work/health"; echo 'It is not well within a minute. The end of its journal:'; journal; exit 1; }
    sleep 0.2
  done
  # A program may come up and then end immediately.
  sleep 2
  is_healthy || { cat "$work/health"; echo 'It came up, and is not well any more. The end of its journal:'; journal; exit 1; }
}

# Checks the daemon as an administrator would: at the configured address, with the configured certificate.
is_healthy() {
  CREDENTIALS_DIRECTORY=${secrets:-} node "$root/dist/bin/strongroom.js" --config "$config" doctor --only "$health_checks" >"$work/health" 2>&1
}
health_checks=daemon,token

has_ended() {
  if [ -n "$systemd" ]; then [ "$(systemctl is-active strongroom)" = failed ]; else ! daemon_pid >/dev/null; fi
}

# Whether a process runs another program than the one just compiled. Two releases cannot communicate with each other.
runs_earlier() {
  if daemon_pid >/dev/null && [ "$(cat "$pid_file.built-from" 2>/dev/null)" != "$(program_stamp)" ]; then return 0; fi
  [ -e "$config" ] && [ -x "${console[0]}" ] && [[ "$(problems program || true)" == *program* ]]
}

# stop_units PATTERN…: stops the daemon first, because its calls would start the others again through their sockets.
# Units of earlier releases do not declare this order.
stop_units() {
  systemctl stop 'strongroom.service*'
  systemctl stop "$@"
}

stop_earlier() {
  if [ -n "$systemd" ]; then stop_units 'strongroom-keeper*' 'strongroom-token@*'; else stop_daemon; fi
  local started_otherwise
  started_otherwise=$(serving)
  [ -z "$started_otherwise" ] || { echo "Still running, started in another way: process $started_otherwise"; exit 1; }
  [ -z "$systemd" ] || note 'stopped, as long as it is replaced'
}

# The processes of this appliance, including those that an administrator or another program started.
serving() {
  { grep -lzxF -- "$config" /proc/[0-9]*/cmdline 2>/dev/null || true; } | while read -r file; do
    if grep -qzE '/(strongroomd|strongroom-keeper|strongroom-tokend)\.js$' "$file" 2>/dev/null; then cut -d / -f 3 <<<"$file"; fi
  done | xargs
}

journal() { if [ -n "$systemd" ]; then journalctl -u strongroom -n 12 --no-pager; else tail -n 12 "$log_file"; fi; }

stop_daemon() {
  local pid deadline=$((SECONDS + 40))
  if ! pid=$(daemon_pid); then note 'was not running'; return; fi
  kill -TERM "$pid"
  while kill -0 "$pid" 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "Process $pid does not end: kill -KILL $pid"; exit 1; }
    sleep 0.1
  done
  rm -f "$pid_file"
  note "process $pid ended"
}
