import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The release of the program in this folder of compiled code. */
export function releaseOf(build: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(build, '../package.json'), 'utf8'))
  return version
}
