import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../src/config/schema.ts'
import { freePort, type TestAppliance } from './appliance.ts'

/** A machine that shares database, token and certificate with the first one. */
export interface MachineBeside {
  readonly configFile: string
  readonly config: Config
  /** URL of its API. */
  readonly url: string
}

/** Writes the configuration of such a machine, with its own keeper, sockets and trail in a folder of this name. */
export async function configureBeside(
  { config, directory }: TestAppliance,
  name: string,
  machine = config.audit.machine,
): Promise<MachineBeside> {
  const folder = join(directory, name)
  mkdirSync(folder, { mode: 0o700 })
  const port = await freePort()
  const own: Config = {
    ...config,
    http: { ...config.http, port },
    monitor: { ...config.monitor, port: await freePort() },
    hsm: {
      ...config.hsm,
      sockets: config.hsm.sockets.map((_, index) => join(folder, `${index + 1}.sock`)),
      keeper: {
        socket: join(folder, 'keeper.sock'),
        operatorSocket: join(folder, 'operator.sock'),
        state: join(folder, 'keeper.sqlite'),
      },
    },
    audit: { ...config.audit, directory: join(folder, 'audit'), machine },
  }
  const configFile = join(folder, 'strongroom.json')
  writeFileSync(configFile, JSON.stringify(own))
  return { configFile, config: own, url: `https://127.0.0.1:${port}/api/1.0` }
}
