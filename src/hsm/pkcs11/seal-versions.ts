import { timingSafeEqual } from 'node:crypto'
import type { SealedRecord } from '../hsm.ts'
import { TokenFailure } from './failure.ts'
import { hmacSha256 } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-keys.ts'

export const sealBytes = 32

/** The session and keys for making and verifying seals. */
export interface Sealing {
  readonly session: Pkcs11Session
  readonly roots: Pick<RootKeys, 'seals' | 'searchAgain'>
}

/**
 * The index of the seal key that made this seal, 0 being the newest; undefined where none in this token did. A seal
 * does not name its version, so each is tried, which costs one HMAC for a seal by the newest.
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
  // Another process may have made or destroyed a version.
  return find() ?? (roots.searchAgain() ? find() : undefined)
}

/** Seals a record by the newest version: HMAC-SHA-256, 32 bytes. */
export function sealNewest({ session, roots }: Sealing, record: Buffer): Buffer {
  const [newest] = roots.seals
  if (newest === undefined) throw new TypeError('there is always a newest seal')
  return session.sign(hmacSha256, newest, record, Buffer.alloc(sealBytes))
}

/** Seals by a version; undefined for an older version that was destroyed meanwhile. */
function sealAs(session: Pkcs11Session, key: KeyHandle, record: Buffer, isOlder: boolean): Buffer | undefined {
  try {
    return session.sign(hmacSha256, key, record, Buffer.alloc(sealBytes))
  } catch (error) {
    if (isOlder && error instanceof TokenFailure && error.remedy === 'handle') return undefined
    throw error
  }
}
