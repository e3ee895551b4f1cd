import { timingSafeEqual } from 'node:crypto'
import type { SealedRecord } from '../hsm.ts'
import { TokenFailure } from './failure.ts'
import { hmacSha256 } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-objects.ts'

export const sealBytes = 32

/** What seals are made and checked with. */
export interface Sealing {
  readonly session: Pkcs11Session
  readonly roots: Pick<RootKeys, 'seals' | 'searchAgain'>
}

/**
 * Which version of the seal key made this seal: 0 is the newest; undefined for none that the token has. A seal does not
 * say it, so each is tried: one HMAC for what is sealed by the newest.
 */
export function versionOfSeal({ session, roots }: Sealing, { record, seal }: SealedRecord): number | undefined {
  if (seal.length !== sealBytes) return undefined
  const find = () => {
    const at = roots.seals.findIndex((key, version) => {
      const made = sealAs(session, key, record, version > 0)
      return made !== undefined && timingSafeEqual(made, seal)
    })
    return at === -1 ? undefined : at
  }
  // Another process may have made a version, or destroyed one.
  return find() ?? (roots.searchAgain() ? find() : undefined)
}

/** By the newest version. */
export function sealNewest({ session, roots }: Sealing, record: Buffer): Buffer {
  const [newest] = roots.seals
  if (newest === undefined) throw new TypeError('there is always a newest seal')
  return session.sign(hmacSha256, newest, record, Buffer.alloc(sealBytes))
}

/** Undefined for an older version that was destroyed meanwhile. */
function sealAs(session: Pkcs11Session, key: KeyHandle, record: Buffer, isOlder: boolean): Buffer | undefined {
  try {
    return session.sign(hmacSha256, key, record, Buffer.alloc(sealBytes))
  } catch (error) {
    if (isOlder && error instanceof TokenFailure && error.remedy === 'handle') return undefined
    throw error
  }
}
