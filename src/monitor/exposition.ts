import { AggregatorRegistry } from 'prom-client'
import { type MetricId, metricTable } from './metric-table.ts'
import type { Observation, WorkerObservation } from './observation.ts'
import { checkNames, type CheckState, type Readiness } from './readiness.ts'
import type { StandingWarning } from './standing-warning.ts'
import { bucketSeconds, type TimingRow } from './timings.ts'
import type { WorkerReport } from './worker-report.ts'

export interface Exposed {
  readonly release: string
  readonly seen: Observation
  readonly readiness: Readiness
  readonly warnings: readonly StandingWarning[]
  /** The calls of all workers, including ended ones. */
  readonly calls: readonly TimingRow[]
  readonly tokenCalls: readonly TimingRow[]
  /** The counts that a worker reported last. */
  readonly rowCounts: WorkerReport['rowCounts']
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** A value with its labels, in the order of the metric's row; `suffix` is set for parts of a histogram. */
type Value = readonly [labels: readonly (string | number)[], value: number, suffix?: string]
type Values = Readonly<Record<MetricId, readonly Value[]>>

/** The metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/. */
export function expose(exposed: Exposed): Promise<string> {
  const values = valuesOf(exposed)
  const metrics = metricIds.map((id) => {
    const { name, help, type, labels } = metricTable[id]
    return {
      name,
      help,
      type,
      aggregator: 'first',
      values: values[id].map(([given, value, suffix]) => ({
        metricName: suffix === undefined ? name : `${name}_${suffix}`,
        labels: Object.fromEntries(given.map((text, at) => [labels[at] ?? 'le', String(text)])),
        value,
      })),
    }
  })
  return AggregatorRegistry.aggregate([metrics]).metrics()
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
const metricIds = Object.keys(metricTable) as MetricId[]

function valuesOf({ release, seen, readiness, warnings, calls, tokenCalls, rowCounts }: Exposed): Values {
  return {
    ready: [[[], readiness.isReady ? 1 : 0]],
    check: checkNames.map((name) => [[name], checkValues[readiness.checks[name].state]]),
    warnings: warnings.map(({ name, state }) => [[name], state === 'problem' ? 2 : 1]),
    build: [[[release], 1]],
    calls: calls.flatMap(outcomes),
    callSeconds: calls.flatMap(buckets),
    tokenCalls: tokenCalls.flatMap(outcomes),
    tokenSeconds: tokenCalls.flatMap(buckets),
    sessions: only(rowCounts?.openSessions),
    wornTokens: only(rowCounts?.wornTokens),
    usedUpVersions: only(rowCounts?.usedUpVersions),
    freeBytes: seen.folders.map(({ folder, freeBytes }) => [[folder], freeBytes]),
    sizeBytes: seen.folders.map(({ folder, sizeBytes }) => [[folder], sizeBytes]),
    certificateEnd: Object.entries(seen.certificateEnds).map(([name, end]) => [[name], end / 1000]),
    ...processValues(seen),
    ...workerValues(seen),
  }
}

const checkValues: Readonly<Record<CheckState, number>> = { failed: 0, warning: 1, ok: 2 }

const only = (value: number | undefined): Value[] => (value === undefined ? [] : [[[], value]])

const processOf = ({ number }: WorkerObservation): string => `worker-${number}`

function processValues({ keeper, hosts, keyMaker, workers, primary }: Observation) {
  const ofToken = [keeper, ...hosts, keyMaker]
  const reports = workers.flatMap((worker) =>
    worker.report === undefined ? [] : [{ process: processOf(worker), ...worker.report }],
  )
  const all = [{ process: 'primary', ...primary }, ...reports]
  return {
    up: [
      ...workers.map((worker): Value => [[processOf(worker)], worker.isListening ? 1 : 0]),
      ...ofToken.map(({ name, state }): Value => [[name], state === 'ready' ? 1 : 0]),
    ],
    restarts: [
      ...workers.map((worker): Value => [[processOf(worker)], worker.restarts]),
      ...ofToken.map(({ name, losses }): Value => [[name], losses]),
    ],
    memory: all.flatMap(({ process, memory }) =>
      Object.entries(memory).map(([kind, bytes]): Value => [[process, kind], bytes]),
    ),
    cpu: all.map(({ process, cpuSeconds }): Value => [[process], cpuSeconds]),
  }
}

function workerValues({ at, workers }: Observation) {
  const each = (read: (report: WorkerReport) => number | undefined): Value[] =>
    workers.flatMap(({ number, report }): Value[] => {
      const value = report && read(report)
      return value === undefined ? [] : [[[number], value]]
    })
  return {
    tokenQueue: each(({ tokenQueue }) => tokenQueue),
    trailOpen: each(({ trail }) => (trail.isOpen && trail.failedAt === undefined ? 1 : 0)),
    trailUnsealed: each(({ trail }) => trail.unsealed),
    trailLag: each(({ trail: { unsealedSince } }) =>
      unsealedSince === undefined ? 0 : Math.max(0, (at - unsealedSince) / 1000),
    ),
    trailSealed: each(({ trail: { sealedAt } }) => sealedAt && sealedAt / 1000),
    loopDelay: workers.flatMap(({ number, report }) =>
      Object.entries(report?.eventLoopDelay ?? {}).map(([percentile, delay]): Value => [[number, percentile], delay]),
    ),
  }
}

const outcomes = (row: TimingRow): Value[] =>
  Object.entries(row.outcomes).map(([outcome, count]) => [[...row.labels, outcome], count])

/** Each bucket of a Prometheus histogram also counts the values of all lower buckets. */
function buckets({ labels, buckets: counts, seconds }: TimingRow): Value[] {
  let total = 0
  const values = counts.map((count, at): Value => {
    total += count
    return [[...labels, bucketSeconds[at] ?? '+Inf'], total, 'bucket']
  })
  return [...values, [labels, seconds, 'sum'], [labels, total, 'count']]
}
