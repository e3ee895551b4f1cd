import type { Slot } from 'graphene-pk11'
import pkcs11 from 'pkcs11js'
import { TokenFailure } from './failure.ts'
import { createKeyHandles, type KeyHandles } from './key-handles.ts'
import { secretKeyRows } from './key-kinds.ts'
import { generatedTemplate } from './key-templates.ts'
import { keyWrap } from './mechanisms.ts'
import { openSession, type Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-keys.ts'
import { findRootKeys } from './root-objects.ts'
import { listObjects } from './token-objects.ts'
import type { FloorCheck } from '../record-generation.ts'
import type { OpenToken } from './token-opening.ts'

/**
 * Everything that holds handles of one epoch. After C_Initialize an old handle may denote another key, without an
 * error. So the whole connection is replaced at once.
 */
export interface Connection {
  readonly slot: Slot
  readonly mechanisms: ReadonlySet<number>
  /**
   * Owns the unwrapped keys: they are session objects, which end with their session. Only for operations of a single
   * call.
   */
  readonly keySession: Pkcs11Session
  readonly roots: RootKeys
  readonly keys: KeyHandles
  /** The session for operations of several calls. */
  readonly session: Pkcs11Session
  /**
   * Opens another `session`. Called after any failure, because SoftHSM2 may leave an operation active in the old one
   * for ever.
   */
  replaceSession(): void
  /** Wraps a key with the strict KEK. Throws TokenFailure when token, login or KEK is gone. */
  canary(): void
}

export function connect(token: OpenToken, handleLimit: number, floors: FloorCheck | undefined): Connection {
  const { slot, mechanisms, session: keySession } = token
  const roots = findRootKeys(
    () => listObjects(token),
    keySession,
    (role) => floors?.newestRoot(role),
  )
  let operation = openSession(slot)
  const keys = createKeyHandles({
    limit: handleLimit,
    keySession,
    operation: () => operation,
    roots,
    mechanisms,
    floors,
  })
  // The canary key is made once and not unwrapped at each check: SoftHSM2 2.6 leaks about 246 bytes for every session
  // object that is destroyed.
  const canaryRow = secretKeyRows['aes128-gcm']
  const canaryKey = keySession.generate(canaryRow.generation, generatedTemplate(canaryRow))
  // The canary keeps this KEK for the whole epoch, although newer versions may be made.
  const canaryKek = roots.newestKek('strict').handle
  const canaryBlob = keySession.wrap(keyWrap, canaryKek, canaryKey)
  return {
    slot,
    mechanisms,
    keySession,
    roots,
    keys,
    get session() {
      return operation
    },
    replaceSession() {
      const poisoned = operation
      operation = openSession(slot)
      try {
        poisoned.close()
      } catch {
        // It was invalid already, which is the reason for its replacement.
      }
    },
    canary() {
      const blob = operation.wrap(keyWrap, canaryKek, canaryKey)
      // Key wrap is deterministic: a different blob means that the handle denotes another key.
      if (!blob.equals(canaryBlob)) throw new TokenFailure('wrap', pkcs11.CKR_WRAPPING_KEY_HANDLE_INVALID, undefined)
    },
  }
}
