/** All metrics; `docs/monitoring.md` has a row for each. Names and units follow the recommendations of Prometheus. */
export const metricTable = {
  ready: gauge('strongroom_ready', 'Whether calls are served (/health/ready answers 200)'),
  check: gauge('strongroom_check', '2 where the check is ok, 1 for a warning, 0 where it has failed', ['check']),
  warnings: gauge('strongroom_warning', '1 for a warning of the daemon that stands, 2 for a problem', ['warning']),
  build: gauge('strongroom_build_info', 'Always 1; the label tells the release that runs', ['version']),
  calls: counter(
    'strongroom_calls_total',
    'Answered calls, by operation and outcome (allowed, or the code of the fault)',
    ['operation', 'outcome'],
  ),
  callSeconds: histogram('strongroom_call_duration_seconds', 'How long calls took until their answer', ['operation']),
  tokenCalls: counter(
    'strongroom_token_operations_total',
    'Requests of workers to keeper and token hosts, by outcome',
    ['process', 'operation', 'outcome'],
  ),
  tokenSeconds: histogram(
    'strongroom_token_operation_duration_seconds',
    'How long they took, with the time in the queue',
    ['process', 'operation'],
  ),
  tokenQueue: gauge('strongroom_token_queue', 'Requests to keeper and token hosts that have no answer yet', ['worker']),
  sessions: gauge('strongroom_sessions', 'Sessions that were used within the last hour; 10000 means that many or more'),
  wornTokens: gauge(
    'strongroom_otp_devices_near_wear',
    'Hardware tokens of users that can be plugged in less than 1000 times more; 1000 means that many or more',
  ),
  usedUpVersions: gauge(
    'strongroom_key_versions_near_limit',
    'Latest versions of keys that have used up 75 % of their encryptions; 1000 means that many or more',
  ),
  trailOpen: gauge('strongroom_audit_writable', 'Whether the worker wrote its last record to the audit trail', [
    'worker',
  ]),
  trailUnsealed: gauge('strongroom_audit_unsealed_records', 'Records that no seal covers yet', ['worker']),
  trailLag: gauge(
    'strongroom_audit_lag_seconds',
    'Age of the oldest record that no seal covers yet; 0 where there is none',
    ['worker'],
  ),
  trailSealed: gauge('strongroom_audit_last_seal_timestamp_seconds', 'When the worker last sealed its records', [
    'worker',
  ]),
  freeBytes: gauge('strongroom_disk_free_bytes', 'Room on the disk of a folder, 0 on a read-only one', ['folder']),
  sizeBytes: gauge('strongroom_disk_size_bytes', 'Size of the disk of a folder', ['folder']),
  certificateEnd: gauge(
    'strongroom_certificate_not_after_timestamp_seconds',
    'When a certificate or revocation list of the configuration ends',
    ['certificate'],
  ),
  up: gauge('strongroom_process_up', 'Whether a worker listens, or a process of the token is ready', ['process']),
  restarts: counter(
    'strongroom_process_restarts_total',
    'How often a process of the appliance had to be started again',
    ['process'],
  ),
  memory: gauge('strongroom_process_memory_bytes', 'Memory of a process', ['process', 'kind']),
  cpu: counter('strongroom_process_cpu_seconds_total', 'Processor time of a process', ['process']),
  loopDelay: gauge(
    'strongroom_event_loop_delay_seconds',
    'How late timers of a worker were since the last look (50, 99, and 100 for the latest)',
    ['worker', 'percentile'],
  ),
} as const

export type MetricId = keyof typeof metricTable

export interface MetricRow {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
}

function gauge(name: string, help: string, labels: readonly string[] = []): MetricRow {
  return { name, help, type: 'gauge', labels }
}

function counter(name: string, help: string, labels: readonly string[]): MetricRow {
  return { name, help, type: 'counter', labels }
}

function histogram(name: string, help: string, labels: readonly string[]): MetricRow {
  return { name, help, type: 'histogram', labels }
}
