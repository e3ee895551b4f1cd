import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { AuditTrail } from '../../audit/event.ts'
import { createTrailState, type TrailState } from '../../audit/trail-state.ts'
import { Fault } from '../../fault.ts'
import type { RequestWatch, ServingProcess } from '../../hsm/client/hsm-client.ts'
import { createTimings } from '../../monitor/timings.ts'
import type { WorkerReport } from '../../monitor/worker-report.ts'
import type { Store } from '../../store/store.ts'
import { withProbeTimeout, withTimeout } from './timeout.ts'
import { usageOfProcess } from './process-usage.ts'
import { createRowCounts } from './row-counts.ts'

/** The counts of one worker for the monitor. */
export interface WorkerCounts {
  readonly call: (operation: string, outcome: string, milliseconds: number) => void
  readonly token: RequestWatch
  /** Updated by the audit trail. */
  readonly trail: TrailState
  /** Wraps the trail so that each record counts as a call, for a listener without a pipeline. */
  counted(audit: Pick<AuditTrail, 'append'>): Pick<AuditTrail, 'append'>
  report(store: Store, withRowCounts: boolean): Promise<Omit<WorkerReport, 'certificate'>>
}

/** The event loop's delay is measured fifty times a second. */
const delayResolutionMs = 20
const databaseTimeoutMs = 1_500

export function createWorkerCounts(): WorkerCounts {
  const calls = createTimings()
  const tokenCalls = { host: createTimings(), keeper: createTimings(), 'key-maker': createTimings() }
  const trail = createTrailState()
  const countRows = createRowCounts()
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs })
  delay.enable()
  let tokenQueue: (() => number) | undefined
  let isReached: (() => Promise<boolean>) | undefined

  function readDelay(): Record<string, number> {
    const [half, most] = [delay.percentile(50), delay.percentile(99)]
    const read = { 50: delayOf(half), 99: delayOf(most), 100: delayOf(delay.max) }
    delay.reset()
    return read
  }

  return {
    call: (operation, outcome, milliseconds) => calls.count(operation, outcome, milliseconds),
    token: {
      ended: (process, operation, milliseconds, fault) =>
        tokenCalls[process].count(operation, outcomeOf(fault), milliseconds),
      opened: (underWay) => (tokenQueue = underWay),
    },
    trail,
    counted: (audit) => ({
      append(event) {
        calls.count(event.operation, event.outcome, event.ms ?? 0)
        return audit.append(event)
      },
    }),
    async report(store, withRowCounts) {
      isReached ??= withProbeTimeout(() => store.probe().then(() => true), false)
      const [isDatabaseReached, rowCounts] = await Promise.all([
        isReached(),
        withRowCounts ? withTimeout(countRows(store.read), databaseTimeoutMs, undefined) : undefined,
      ])
      return {
        pid: process.pid,
        calls: calls.rows(),
        tokenCalls: processes.flatMap((name) => tokenCalls[name].rows(name)),
        tokenQueue: tokenQueue?.() ?? 0,
        trail,
        isDatabaseReached,
        ...usageOfProcess(),
        eventLoopDelay: readDelay(),
        ...(rowCounts && { rowCounts }),
      }
    },
  }
}

/** In seconds, without the interval of the measuring timer itself. */
const delayOf = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - delayResolutionMs / 1e3)

const processes: readonly ServingProcess[] = ['host', 'keeper', 'key-maker']

function outcomeOf(fault: unknown): string {
  if (fault === undefined) return 'done'
  return fault instanceof Fault ? fault.code : 'internal'
}
