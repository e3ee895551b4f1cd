import type { Config } from '../config/schema.ts'
import { endingOf, exitCodes } from './exit.ts'
import type { Ending } from './exit.ts'
import { createLog } from '../log.ts'
import type { Log } from '../log.ts'

/** What the primary says to a worker. The configuration is the one that the daemon started with, whatever its file says now. */
export type ToWorker =
  | { readonly do: 'start'; readonly config: Config }
  | { readonly do: 'reload' }
  | { readonly do: 'stop' }
  | { readonly do: 'answer' }

/** What a worker says to the primary: `born` when it can be spoken to; `failed` are its last words. */
export type FromWorker =
  | { readonly tells: 'born' }
  | { readonly tells: 'listening'; readonly port: number }
  | { readonly tells: 'failed'; readonly ending: Ending }
  | { readonly tells: 'alive' }

export interface Appliance {
  listen(): Promise<{ readonly port: number }>
  /** Reads the server certificate again. */
  reload(): Promise<void>
  /** Lets calls under way finish, and lets go of everything. */
  close(): Promise<void>
}

export interface ApplianceOptions {
  readonly config: Config
  /** 1, 2 …: outlives the process, so that a restarted worker goes on with the audit chain of the one before. */
  readonly slot: number
  readonly log: Log
}

/** The life of a worker process: the primary tells it over its channel when to start, reload and stop. */
export function runWorker(createAppliance: (options: ApplianceOptions) => Promise<Appliance>): void {
  const slot = Number(process.argv[2])
  process.title = `strongroomd: worker ${slot}`
  let serving: Promise<Appliance> | undefined

  const start = async (config: Config): Promise<Appliance> => {
    const log = createLog({ level: config.log.level, name: `worker-${slot}` })
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'the worker ends, because what it did not expect happened')
      process.exit(exitCodes.internal)
    })
    const appliance = await createAppliance({ config, slot, log })
    tell({ tells: 'listening', port: (await appliance.listen()).port })
    return appliance
  }
  const stop = async (): Promise<void> => {
    await (await serving)?.close()
    process.exit(exitCodes.stopped)
  }
  const obey = async (message: ToWorker): Promise<void> => {
    if (message.do === 'answer') tell({ tells: 'alive' })
    if (message.do === 'start') await (serving = start(message.config))
    if (message.do === 'reload') await (await serving)?.reload()
    if (message.do === 'stop') await stop()
  }
  process.on('message', (message: ToWorker) => void obey(message).catch(fail))
  process.on('SIGTERM', () => void stop().catch(fail))
  // A terminal sends these to the whole group; the primary passes on what they mean.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {})
  tell({ tells: 'born' })
}

function tell(message: FromWorker, then?: () => void): void {
  process.send?.(message, undefined, undefined, then)
}

function fail(error: unknown): void {
  const ending = endingOf(error)
  tell({ tells: 'failed', ending }, () => process.exit(ending.code))
}
