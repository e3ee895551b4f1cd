import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestAppliance } from '../test/support/appliance.ts'
import type { TestToken } from '../test/support/token.ts'

export interface LoopOptions {
  /** Length of an item. */
  readonly bytes: number
  readonly items: number
  readonly direction?: 'encrypt' | 'decrypt'
  /** Variables in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

/**
 * Compiles `encrypt-loop.c` for the token of an appliance. Each call of the result runs it and returns microseconds of
 * processor time per item.
 */
export function compileLoop({ token, directory }: TestAppliance): (options: LoopOptions) => number {
  const program = join(directory, 'encrypt-loop')
  const headers = resolve(import.meta.dirname, '../node_modules/pkcs11js/includes/pkcs11')
  execFileSync('cc', ['-O2', '-isystem', headers, '-o', program, join(import.meta.dirname, 'encrypt-loop.c'), '-ldl'])
  return ({ bytes, items, direction = 'encrypt', environment }) => {
    const given = [token.module, labelOf(token), String(bytes), String(items)]
    const printed = execFileSync(program, direction === 'decrypt' ? [...given, direction] : given, {
      env: { ...process.env, ...environment, SOFTHSM2_CONF: token.softhsmConf },
      input: readFileSync(token.pinFile),
      encoding: 'utf8',
    })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own program wrote it
    return (JSON.parse(printed) as { cpuUs: number }).cpuUs
  }
}

function labelOf({ tokenUri }: TestToken): string {
  const label = /[:;]token=([^;?]+)/.exec(tokenUri)?.[1]
  if (label === undefined) throw new Error(`${tokenUri} names no label`)
  return decodeURIComponent(label)
}
