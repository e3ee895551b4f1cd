import type { Config } from './schema.ts'

/** The name of one process's chain in the audit trail. */
export function chainName({ audit }: Pick<Config, 'audit'>, writer: string): string {
  return audit.machine === undefined ? writer : `${audit.machine}-${writer}`
}

/** More workers than a machine has. */
const mostWorkers = 1_024
const ofWorker = /-?worker-([1-9]\d{0,3})$/

/** Whether a process of this machine writes a chain of this name. */
export function isOwnChain(config: Pick<Config, 'audit'>, chain: string): boolean {
  const worker = Number(ofWorker.exec(chain)?.[1] ?? 0)
  if (chain === chainName(config, 'console')) return true
  return worker >= 1 && worker <= mostWorkers && chain === chainName(config, `worker-${worker}`)
}
