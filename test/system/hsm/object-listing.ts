import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { TestToken } from '../../support/token.ts'

/** The output of OpenSC's `pkcs11-tool` for each object: map from `label, class` to the lines below it. */
export function listObjects({ module, softhsmConf, pinFile }: TestToken): Map<string, string> {
  const pin = readFileSync(pinFile, 'utf8')
  const printed = execFileSync(
    'pkcs11-tool',
    ['--module', module, '--token-label', 'strongroom', '--login', '--pin', pin, '--list-objects'],
    { encoding: 'utf8', env: { ...process.env, SOFTHSM2_CONF: softhsmConf }, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const objects = printed.split(/^(?=\S.* Object)/m).filter((text) => / Object/.test(text))
  return new Map(
    objects.map((text) => [`${/label:\s+(\S+)/.exec(text)?.[1]}, ${/^(\S+ ?\S*) Object/.exec(text)?.[1]}`, text]),
  )
}

/** A field of an object, with its words sorted. */
export function fieldOf(object: string | undefined, name: string): string | undefined {
  return new RegExp(`^\\s*${name}:\\s+(.*?)\\s*$`, 'm')
    .exec(object ?? '')?.[1]
    ?.split(', ')
    .toSorted()
    .join(', ')
}
