import type { Slot } from 'graphene-pk11'
import pkcs11 from 'pkcs11js'
import { TokenFailure } from './failure.ts'
import { createKeyHandles, type KeyHandles } from './key-handles.ts'
import { secretKeyRows } from './key-kinds.ts'
import { generatedTemplate } from './key-templates.ts'
import { keyWrap } from './mechanisms.ts'
import { openSession, type Pkcs11Session } from './pkcs11-session.ts'
import { findRootKeys, type RootKeys } from './root-objects.ts'
import { listObjects } from './token-objects.ts'
import type { FloorCheck } from '../record-generation.ts'
import type { OpenToken } from './token-opening.ts'

/**
 * Everything that holds handles of one epoch. After C_Initialize an old handle names some other key, without an error:
 * so the whole connection is given up at once, and a new one takes its place.
 */
export interface Connection {
  readonly slot: Slot
  readonly mechanisms: ReadonlySet<number>
  /** Owns the unwrapped keys: those are session objects and die with their session. Used for single calls only. */
  readonly keySession: Pkcs11Session
  readonly roots: RootKeys
  readonly keys: KeyHandles
  /** The session for operations of several calls. */
  readonly session: Pkcs11Session
  /** After any failure, because SoftHSM2 may leave an operation active in it for ever. */
  replaceSession(): void
  /** Wraps one key with the strict KEK; throws TokenFailure when token, login or KEK is gone. */
  canary(): void
}

export function connect(token: OpenToken, handleLimit: number, floors: FloorCheck | undefined): Connection {
  const { slot, mechanisms, session: keySession } = token
  const roots = findRootKeys(() => listObjects(token), keySession)
  let operation = openSession(slot)
  const keys = createKeyHandles({
    limit: handleLimit,
    keySession,
    operation: () => operation,
    roots,
    mechanisms,
    floors,
  })
  // Not unwrapped again each time: SoftHSM2 2.6 leaks about 246 bytes for every session object that is destroyed.
  const canaryRow = secretKeyRows['aes128-gcm']
  const canaryKey = keySession.generate(canaryRow.generation, generatedTemplate(canaryRow))
  // The same for the whole epoch, whichever versions are made meanwhile.
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
        // It was invalid already, which is why it is replaced.
      }
    },
    canary() {
      const blob = operation.wrap(keyWrap, canaryKek, canaryKey)
      // Key wrap is deterministic: another blob means that the handle names another key.
      if (!blob.equals(canaryBlob)) throw new TokenFailure('wrap', pkcs11.CKR_WRAPPING_KEY_HANDLE_INVALID, undefined)
    },
  }
}
