import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { alertsOf, rulesFile } from './expressions.ts'

/**
 * Series from 2020-01-01 on at intervals of a minute: one with which an alert fires at the given time, and one with
 * which it does not.
 */
interface Row {
  readonly alert: string
  readonly fires: readonly string[]
  readonly rests: readonly string[]
  readonly at?: string
}

const steady = (series: string, value: number | string): string => `- series: '${series}'\n  values: '${value}x6000'`
const counting = (series: string, step: number): string => `- series: '${series}'\n  values: '0+${step}x6000'`

const rows: readonly Row[] = [
  { alert: 'StrongroomDown', fires: [steady('up{job="strongroom"}', 0)], rests: [steady('up{job="strongroom"}', 1)] },
  { alert: 'StrongroomNotReady', fires: [steady('strongroom_ready', 0)], rests: [steady('strongroom_ready', 1)] },
  {
    alert: 'StrongroomTokenAway',
    fires: [steady('strongroom_check{check="token"}', 0)],
    rests: [steady('strongroom_check{check="token"}', 1), steady('strongroom_check{check="clock"}', 0)],
  },
  {
    alert: 'StrongroomAuditNotWritable',
    fires: [steady('strongroom_audit_writable{worker="1"}', 0)],
    rests: [steady('strongroom_audit_writable{worker="1"}', 1)],
  },
  {
    alert: 'StrongroomCheckWarns',
    fires: [steady('strongroom_check{check="certificates"}', 1)],
    rests: [steady('strongroom_check{check="certificates"}', 2)],
  },
  {
    alert: 'StrongroomWarning',
    fires: [steady('strongroom_warning{warning="disk.audit"}', 1)],
    rests: [steady('strongroom_warning{warning="disk.audit"}', 0)],
  },
  {
    alert: 'StrongroomClockBehind',
    fires: [steady('strongroom_check{check="clock"}', 1)],
    rests: [steady('strongroom_check{check="clock"}', 2)],
  },
  {
    alert: 'StrongroomProcessDown',
    fires: [steady('strongroom_process_up{process="host-2"}', 0)],
    rests: [steady('strongroom_process_up{process="host-2"}', 1)],
  },
  {
    alert: 'StrongroomProcessRestarts',
    fires: [counting('strongroom_process_restarts_total{process="worker-1"}', 1)],
    rests: [steady('strongroom_process_restarts_total{process="worker-1"}', 7)],
  },
  {
    alert: 'StrongroomCallsFail',
    fires: [
      counting('strongroom_calls_total{operation="a",outcome="allowed"}', 90),
      counting('strongroom_calls_total{operation="a",outcome="hsm.unavailable"}', 10),
    ],
    rests: [
      counting('strongroom_calls_total{operation="a",outcome="allowed"}', 90),
      counting('strongroom_calls_total{operation="a",outcome="access.permission"}', 10),
    ],
  },
  {
    alert: 'StrongroomCallsSlow',
    fires: ['0.3', '1', '+Inf'].map((le, at) =>
      counting(
        `strongroom_call_duration_seconds_bucket{operation="transparent.encrypt",le="${le}"}`,
        at === 0 ? 50 : 60,
      ),
    ),
    rests: ['0.3', '1', '+Inf'].map((le) =>
      counting(`strongroom_call_duration_seconds_bucket{operation="transparent.encrypt",le="${le}"}`, 60),
    ),
  },
  {
    alert: 'StrongroomLoginsRefused',
    fires: [counting('strongroom_calls_total{operation="auth.login",outcome="login.refused"}', 10)],
    rests: [counting('strongroom_calls_total{operation="auth.login",outcome="login.refused"}', 1)],
  },
  {
    alert: 'StrongroomTokenQueue',
    fires: [steady('strongroom_token_queue{worker="1"}', 2_000)],
    rests: [steady('strongroom_token_queue{worker="1"}', 20)],
  },
  {
    alert: 'StrongroomEventLoopSlow',
    fires: [steady('strongroom_event_loop_delay_seconds{worker="1",percentile="99"}', 0.5)],
    rests: [steady('strongroom_event_loop_delay_seconds{worker="1",percentile="100"}', 0.5)],
  },
  {
    alert: 'StrongroomMemory',
    fires: [steady('strongroom_process_memory_bytes{process="worker-1",kind="rss"}', 3e9)],
    rests: [steady('strongroom_process_memory_bytes{process="worker-1",kind="rss"}', 3e8)],
  },
  {
    alert: 'StrongroomAuditUnsealed',
    fires: [steady('strongroom_audit_lag_seconds{worker="1"}', 400)],
    rests: [steady('strongroom_audit_lag_seconds{worker="1"}', 5)],
  },
  {
    alert: 'StrongroomDiskShort',
    fires: [
      steady('strongroom_disk_free_bytes{folder="audit"}', 4e9),
      steady('strongroom_disk_size_bytes{folder="audit"}', 1e11),
    ],
    rests: [
      steady('strongroom_disk_free_bytes{folder="audit"}', 4e10),
      steady('strongroom_disk_size_bytes{folder="audit"}', 1e11),
      // A /tmp in the memory of a machine with 2 GB.
      steady('strongroom_disk_free_bytes{folder="temporary"}', 9.9e8),
      steady('strongroom_disk_size_bytes{folder="temporary"}', 1e9),
    ],
  },
  {
    alert: 'StrongroomDiskFillsUp',
    fires: [`- series: 'strongroom_disk_free_bytes{folder="audit"}'\n  values: '1000000-200x6000'`],
    rests: [
      steady('strongroom_disk_free_bytes{folder="audit"}', 1_000_000),
      // A backup of 1 GB every night, for which there is room for eighteen of them; and an installation.
      `- series: 'strongroom_disk_free_bytes{folder="database"}'\n  values: '20000000000x360 19000000000x6000'`,
      `- series: 'strongroom_disk_free_bytes{folder="temporary"}'\n  values: '_x360 3000000000x10 2000000000x6000'`,
    ],
    at: '8h',
  },
  {
    alert: 'StrongroomCertificateEnds',
    fires: [steady('strongroom_certificate_not_after_timestamp_seconds{certificate="server"}', 20 * 86_400)],
    rests: [steady('strongroom_certificate_not_after_timestamp_seconds{certificate="server"}', 40 * 86_400)],
  },
  {
    alert: 'StrongroomRevocationListEnds',
    fires: [steady('strongroom_certificate_not_after_timestamp_seconds{certificate="revocation-list-1"}', 86_400)],
    rests: [steady('strongroom_certificate_not_after_timestamp_seconds{certificate="revocation-list-1"}', 4 * 86_400)],
  },
  {
    alert: 'StrongroomOtpWear',
    fires: [steady('strongroom_otp_devices_near_wear', 1)],
    rests: [steady('strongroom_otp_devices_near_wear', 0)],
  },
  {
    alert: 'StrongroomKeyVersionsNearLimit',
    fires: [steady('strongroom_key_versions_near_limit', 2)],
    rests: [steady('strongroom_key_versions_near_limit', 0)],
    at: '26h',
  },
  {
    alert: 'StrongroomReleasesDiffer',
    fires: ['1', '2'].map((version) => steady(`strongroom_build_info{version="${version}",instance="${version}"}`, 1)),
    rests: ['1', '2'].map((instance) => steady(`strongroom_build_info{version="1",instance="${instance}"}`, 1)),
  },
]

/** The failures that promtool reports for tests of the rules; empty where all pass. */
function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

const indented = (series: readonly string[]): string => series.map((one) => one.replaceAll(/^/gm, '      ')).join('\n')

const testOf = (alert: string, series: readonly string[], at: string, firing: boolean): string => `  - interval: 1m
    input_series:
${indented(series)}
    promql_expr_test:
      - expr: count(ALERTS{alertname="${alert}",alertstate="firing"})
        eval_time: ${at}
        exp_samples: ${firing ? "[{ labels: '{}', value: 1 }]" : '[]'}
`

it('promtool takes the rules', () => {
  expect(promtool('check', 'rules', rulesFile)).toBe('')
})

it('each alert fires when it should, and rests when it should', () => {
  expect(rows.map(({ alert }) => alert)).toEqual(alertsOf().map(({ name }) => name))
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-rules-'))
  const file = join(folder, 'rules.test.yml')
  const tests = rows.flatMap(({ alert, fires, rests, at = '2h' }) => [
    testOf(alert, fires, at, true),
    testOf(alert, rests, at, false),
  ])
  writeFileSync(file, `rule_files: ['${rulesFile}']\nevaluation_interval: 1m\ntests:\n${tests.join('')}`)
  expect(promtool('test', 'rules', file)).toBe('')
})
