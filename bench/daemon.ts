import { basename, dirname, join, resolve } from 'node:path'
import { TestAppliance, type Overrides } from '../test/support/appliance.ts'
import type { TestClient } from '../test/support/client.ts'
import { makeVault } from '../test/support/vault.ts'
import { cpuTimes, type CpuTimes } from './cpu.ts'
import type { Figures } from './figures.ts'
import { createLoad, type Call, type Load, type LoadOptions } from './load.ts'

/** The daemon with its default settings, a vault, and a session of the vault's Admin. */
export interface Daemon {
  readonly appliance: TestAppliance
  readonly vault: string
  readonly admin: TestClient
  readonly load: Load
  /** A call for a key of the vault, for example `encrypt/NAME`. */
  call(operation: string, body: object): Call
  close(): Promise<void>
}

/** The build by `npm run build`. */
export const dist = resolve(import.meta.dirname, '../dist')

/** The name that distinguishes a daemon from the others of a run. */
export function nameOf(build: string, workers: number): string {
  const checkout = basename(dirname(build))
  return `${workers} ${workers === 1 ? 'worker' : 'workers'}${build === dist ? '' : ` (${checkout})`}`
}

export interface DaemonOptions {
  readonly build?: string
  readonly connections: number
  readonly settings: Overrides
}

/** The driver of this release for an appliance of any release. */
export const driverOf = ({ url, ca }: TestAppliance, driver: Pick<LoadOptions, 'connections' | 'http'>): Load =>
  createLoad({ origin: new URL(url).origin, ca, ...driver })

/**
 * Starts a daemon. A build of another release is started by the code of its own checkout, because settings and rows
 * differ between releases.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { build = dist } = options
  if (build === dist) return startOwnDaemon(options)
  const other: OtherRelease = await import(join(build, '../bench/daemon.ts'))
  return other.startDaemon({ ...options, build: other.dist })
}

/** This module in the release that made the build. */
interface OtherRelease {
  readonly dist: string
  startDaemon(options: DaemonOptions): Promise<Daemon>
}

async function startOwnDaemon({ connections, settings }: DaemonOptions): Promise<Daemon> {
  const audit = { sealIntervalMs: 5_000, ...settings.audit }
  const appliance = await TestAppliance.own(
    { ...settings, audit },
    {
      entry: join(dist, 'bin/strongroomd.js'),
      hosts: 2,
    },
  )
  try {
    const { id: vault, admin } = await makeVault(appliance, 'bench')
    const { pathname } = new URL(appliance.url)
    const load = driverOf(appliance, { connections })
    const headers = { 'content-type': 'application/json', 'x-http-token': admin.token ?? '' }
    return {
      appliance,
      vault,
      admin,
      load,
      call: (operation, body) => ({
        path: `${pathname}/transparent/${vault}/${operation}`,
        headers,
        body: JSON.stringify(body),
      }),
      async close() {
        await load.close()
        await appliance.close()
      },
    }
  } catch (error) {
    await appliance.close()
    throw error
  }
}

/** Microseconds of processor time per item, and items per second. */
export interface Sample extends CpuTimes, Figures {
  readonly rate: number
}

/**
 * Sends `calls` calls to the server with the process `pid`, and divides the CPU time of its processes among the `items`
 * of all calls.
 */
export async function sample(
  { pid, load }: { readonly pid: number; readonly load: Load },
  next: () => Call,
  calls: number,
  items = calls,
): Promise<Sample> {
  const before = cpuTimes(pid)
  const { wallMs } = await load.drive(next, calls)
  const after = cpuTimes(pid)
  const primary = (after.primary - before.primary) / items
  const worker = (after.worker - before.worker) / items
  const host = (after.host - before.host) / items
  const keeper = (after.keeper - before.keeper) / items
  return { primary, worker, host, keeper, total: primary + worker + host + keeper, rate: (items * 1000) / wallMs }
}
