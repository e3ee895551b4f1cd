import { spawnSync } from 'node:child_process'
import { Fault } from '../../fault.ts'
import { inFolder } from './folder-rights.ts'
import { paddedWrap } from './mechanisms.ts'
import { rootId } from './root-objects.ts'
import type { OpenToken, TokenLocation } from './token-opening.ts'

/**
 * Whether the token accepted a KEK with an unwrap template; `unlimited`: it did, but without limits on mechanisms or
 * copies.
 */
export type Taken = 'limited' | 'unlimited' | 'refused'

/**
 * `strict`: never leaves the token. `backup`: leaves it only wrapped by a CKA_TRUSTED key, which only the SO can make.
 */
export type TemplatedKind = 'strict' | 'backup'

/**
 * Makes KEKs with an unwrap template. pkcs11js cannot pass nested templates, so a separate program, with a login of its
 * own, makes these KEKs.
 */
export interface CeremonyHelper {
  make(kind: TemplatedKind, label: string): Taken
  /** Unwraps such a KEK from `blob` with the RSA key that has the CKA_ID `keyId`. */
  receive(kind: TemplatedKind, label: string, keyId: Buffer, blob: Buffer): Taken
}

export interface CeremonyHelperOptions extends TokenLocation {
  /** Path of the ceremony helper that `softhsm/build-ceremony` compiles. */
  readonly ceremony: string
}

const statuses: Readonly<Record<number, Taken>> = { 0: 'limited', 3: 'refused', 4: 'unlimited' }

/** Those of the module's calls here: another user could not read what this command has made in the token's folder. */
const rights = () => ({ uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 })

/**
 * The methods of the helper throw `hsm.unsupported` when the program has not been built, and `hsm.unavailable` when it
 * fails.
 */
export function createCeremonyHelper(
  { ceremony, module, tokenDirectory, pin }: CeremonyHelperOptions,
  { info, mechanisms }: Pick<OpenToken, 'info' | 'mechanisms'>,
): CeremonyHelper {
  const run = (command: string, kind: TemplatedKind, label: string, ...more: string[]): Taken => {
    const padded = String(paddedWrap(mechanisms)?.mechanism ?? 0)
    const token = [module, info.label, info.serialNumber]
    const args = [command, kind, ...token, label, rootId(label).toString('hex'), padded, ...more]
    const user = tokenDirectory !== undefined && process.getuid?.() === 0 ? inFolder(tokenDirectory, rights) : undefined
    const done = spawnSync(ceremony, args, { ...user, input: pin.read(), encoding: 'utf8' })
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
