import pkcs11, { type PKCS11 } from 'pkcs11js'
import { generatedTemplate, secretKeyRows } from './key-kinds.ts'
import { createKeyHandles, type KeyHandles } from './key-handles.ts'
import { attempt, TokenFailure } from './failure.ts'
import { keyWrap } from './mechanisms.ts'
import { finalize, initialize, login } from './module.ts'
import { openSession, type Pkcs11Session } from './pkcs11-session.ts'
import { findRootKeys, listObjects, type RootKeys } from './root-objects.ts'
import { chooseSlot, type ChosenSlot } from './slot-choice.ts'
import type { TokenSelector } from './token-uri.ts'

/** A token that is initialised and logged in to, with nothing found in it yet. */
export interface OpenToken {
  readonly slot: ChosenSlot
  readonly mechanisms: ReadonlySet<number>
  readonly session: Pkcs11Session
}

/**
 * Initialises the module afresh and logs in. Finalize comes first, even at the start: SoftHSM2 that was initialised while
 * another process logged in may have missed the token. Throws `hsm.unavailable`; TokenFailure with remedy `fatal` when the PIN is refused.
 */
export function openToken(lib: PKCS11, selector: TokenSelector, readPin: () => string): OpenToken {
  finalize(lib)
  initialize(lib)
  const slot = chooseSlot(lib, selector)
  const session = openSession(lib, slot.handle)
  login(lib, session.handle, readPin())
  const mechanisms = new Set(attempt('session', () => lib.C_GetMechanismList(slot.handle)))
  return { slot, mechanisms, session }
}

/**
 * Everything that holds handles of one epoch. After C_Initialize an old handle names some other key, without an error: so the
 * whole connection is given up at once, and a new one takes its place.
 */
export interface Connection {
  readonly lib: PKCS11
  readonly slot: ChosenSlot
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

export function connect(lib: PKCS11, token: OpenToken, handleLimit: number): Connection {
  const keySession = token.session
  const roots = findRootKeys(listObjects(keySession))
  let operation = openSession(lib, token.slot.handle)
  const keys = createKeyHandles({
    limit: handleLimit,
    keySession,
    operation: () => operation,
    roots,
    mechanisms: token.mechanisms,
  })
  // Not unwrapped again each time: SoftHSM2 2.6 leaks about 246 bytes for every session object that is destroyed.
  const canaryRow = secretKeyRows['aes128-gcm']
  const canaryKey = keySession.generate(canaryRow.generation, generatedTemplate(canaryRow))
  const canaryBlob = keySession.wrap(keyWrap, roots.newestKek('strict').handle, canaryKey)
  return {
    lib,
    slot: token.slot,
    mechanisms: token.mechanisms,
    keySession,
    roots,
    keys,
    get session() {
      return operation
    },
    replaceSession() {
      const poisoned = operation
      operation = openSession(lib, token.slot.handle)
      try {
        poisoned.close()
      } catch {
        // It was invalid already, which is why it is replaced.
      }
    },
    canary() {
      const blob = operation.wrap(keyWrap, roots.newestKek('strict').handle, canaryKey)
      // Key wrap is deterministic: another blob means that the handle names another key.
      if (!blob.equals(canaryBlob)) throw new TokenFailure('wrap', pkcs11.CKR_WRAPPING_KEY_HANDLE_INVALID, undefined)
    },
  }
}
