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

# A free one for a trial; the one that clients expect otherwise.
choose_port() {
  if [ -z "$demo" ]; then echo 443; return; fi
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

start_daemon() {
  if [ -n "$systemd" ]; then
    local number units=(strongroom-keeper.socket strongroom-keeper-operator.socket strongroom-token@key-maker.socket)
    for number in $(seq "$hosts"); do units+=("strongroom-token@$number.socket"); done
    systemctl enable --now "${units[@]}" strongroom.service
  elif ! daemon_pid >/dev/null; then
    # The shell writes its own number, which the daemon keeps.
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
  until answers && hosts_answer; do
    if [ -z "$systemd" ] && [ "$SECONDS" -gt $((deadline - 58)) ] && ! daemon_pid >/dev/null; then
      tail -n 12 "$log_file"
      exit 1
    fi
    [ "$SECONDS" -lt "$deadline" ] || { echo 'It does not answer within a minute.'; journal; exit 1; }
    sleep 0.2
  done
}

answers() { curl -sf -o /dev/null --max-time 5 --cacert "$ca" "$(base_url)/api/1.0/authinfo/logintypes"; }

hosts_answer() {
  local socket
  for socket in $(tr -d '[]"' <<<"$sockets" | tr , ' '); do [ -S "$socket" ] || return 1; done
}

# Whether another build runs than the one that was just compiled. The two do not understand each other.
runs_earlier() {
  local built_from=$program/.built-from
  if [ -n "$systemd" ]; then
    systemctl list-units --no-legend --state=active,activating 'strongroom*' | grep -q . || return 1
  else
    daemon_pid >/dev/null || return 1
    built_from=$pid_file.built-from
  fi
  [ "$(cat "$built_from" 2>/dev/null)" != "$(program_stamp)" ]
}

stop_earlier() {
  if [ -z "$systemd" ]; then stop_daemon; return; fi
  systemctl stop strongroom.service 'strongroom-keeper*' 'strongroom-token@*'
  note 'stopped, until this has taken over what it holds'
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
