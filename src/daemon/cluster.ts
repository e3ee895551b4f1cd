import { availableParallelism } from 'node:os'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import { createWorkerSlot } from './worker-slot.ts'

export interface ClusterOptions {
  readonly config: Config
  /** JavaScript file that a worker process runs; it calls `runWorker`. */
  readonly workerEntry: string
  readonly clock: Clock
  readonly log: Log
  /** Time between two pings of each worker. */
  readonly heartbeatMs?: number
}

/** The workers of the daemon, all behind one port. This process holds no key, no PIN and no certificate. */
export interface Cluster {
  /** Resolves when every worker listens; rejects with ExitError when one of them cannot. */
  start(): Promise<{ readonly port: number; readonly workers: number }>
  /** Has every worker read the server certificate again. */
  reload(): void
  /** Drains and ends every worker. */
  stop(): Promise<void>
}

export function createCluster({ config, workerEntry, clock, log, heartbeatMs = 5_000 }: ClusterOptions): Cluster {
  const workers = config.http.workers === 0 ? availableParallelism() : config.http.workers
  const slots = Array.from({ length: workers }, (_, index) =>
    createWorkerSlot({ number: index + 1, entry: workerEntry, config, clock, log }),
  )
  let heartbeat: NodeJS.Timeout | undefined

  return {
    async start() {
      const [first, ...others] = slots
      // One before all others: it brings the tables up to date, and a wrong configuration is reported once.
      const port = (await first?.start()) ?? config.http.port
      await Promise.all(others.map((slot) => slot.start()))
      heartbeat = setInterval(() => slots.forEach((slot) => slot.ping()), heartbeatMs)
      return { port, workers }
    },
    reload: () => slots.forEach((slot) => slot.reload()),
    async stop() {
      clearInterval(heartbeat)
      await Promise.all(slots.map((slot) => slot.stop()))
    },
  }
}
