import { spawnSync } from 'node:child_process'
import { Fault } from '../../fault.ts'
import { paddedWrap } from './mechanisms.ts'
import { rootId } from './root-objects.ts'
import type { OpenToken, TokenLocation } from './token-opening.ts'

/** How the token took a KEK with an unwrap template: `unlimited` where it limits neither mechanisms nor copies. */
export type Taken = 'limited' | 'unlimited' | 'refused'

/** `strict` never leaves the token; `backup` leaves it wrapped by a CKA_TRUSTED key, which the SO alone makes. */
export type TemplatedKind = 'strict' | 'backup'

/** Nested templates are beyond pkcs11js; so a helper of its own, which logs in by itself, makes such KEKs. */
export interface CeremonyHelper {
  make(kind: TemplatedKind, label: string): Taken
  /** Unwraps it by the RSA key with that CKA_ID. */
  receive(kind: TemplatedKind, label: string, keyId: Buffer, blob: Buffer): Taken
}

export interface CeremonyHelperOptions extends TokenLocation {
  /** Path of the ceremony helper that `softhsm/build-ceremony` compiles. */
  readonly ceremony: string
}

const statuses: Readonly<Record<number, Taken>> = { 0: 'limited', 3: 'refused', 4: 'unlimited' }

/** Its methods throw `hsm.unsupported` when the helper has not been built, and `hsm.unavailable` when it fails. */
export function createCeremonyHelper(
  { ceremony, module, pin }: CeremonyHelperOptions,
  { info, mechanisms }: Pick<OpenToken, 'info' | 'mechanisms'>,
): CeremonyHelper {
  const run = (command: string, kind: TemplatedKind, label: string, ...more: string[]): Taken => {
    const padded = String(paddedWrap(mechanisms)?.mechanism ?? 0)
    const place = [module, info.label, info.serialNumber]
    const args = [command, kind, ...place, label, rootId(label).toString('hex'), padded, ...more]
    const done = spawnSync(ceremony, args, { input: pin.read(), encoding: 'utf8' })
    if (done.error !== undefined)
      throw new Fault(
        'hsm.unsupported',
        `The ceremony helper ${ceremony} does not run: build it with softhsm/build-ceremony.`,
        { cause: done.error },
      )
    const taken = done.status === null ? undefined : statuses[done.status]
    if (taken === undefined) throw new Fault('hsm.unavailable', `${label} could not be made: ${done.stderr.trim()}`)
    return taken
  }
  return {
    make: (kind, label) => run('make', kind, label),
    receive: (kind, label, keyId, blob) => run('receive', kind, label, keyId.toString('hex'), blob.toString('hex')),
  }
}
