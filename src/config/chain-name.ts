import type { Config } from './schema.ts'

/** The name of one process's chain in the audit trail. */
export function chainName({ audit }: Config, writer: string): string {
  return audit.machine === undefined ? writer : `${audit.machine}-${writer}`
}
