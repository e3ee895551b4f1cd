import type { KeyUse } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import type { KeyReference, SealedRecord } from '../hsm.ts'
import { useRefusal } from '../key-use.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import { TokenFailure } from './failure.ts'
import { type KeyRow, type SecretKeyRow, unwrapMechanism } from './key-kinds.ts'
import { privateTemplate, unwrappedTemplate } from './key-templates.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { createRecentMap } from './recent-map.ts'
import { verifyingTemplate } from './public-keys.ts'
import { findTokenObject, tokenObjectLabelOf } from './token-objects.ts'
import type { RootKeys } from './root-objects.ts'
import { createSealCheck, type OpenRecord } from './seal-check.ts'

/**
 * The unwrapped keys of one epoch. It ends with its connection, and so no handle outlives its epoch.
 *
 * A record that is new here has its seal checked and its blob unwrapped first; for one that is known, byte for byte,
 * both were done. Throws `hsm.seal_broken`, and `hsm.rejected` for a key of the wrong kind.
 */
export interface KeyHandles {
  /** Calls `work` with the unwrapped secret key, where grant and policy allow the use. */
  use<T>(
    reference: KeyReference,
    use: KeyUse,
    serves: SecretKeyRow['serves'],
    work: (key: KeyHandle, row: SecretKeyRow) => T,
  ): T
  /** The same with one half of a pair: the private one writes, the public one reads. */
  usePair<T>(reference: KeyReference, half: 'private' | 'public', work: (key: KeyHandle, row: KeyPairRow) => T): T
  /** Checks both seals and the policy, and reads the record, without a key in the token. */
  open(reference: KeyReference, use: KeyUse): OpenRecord
  /** Throws `hsm.seal_broken` unless the seal is the record's. */
  verify(sealed: SealedRecord): void
  /** Releases the older half, for a token that is full. */
  shrink(): void
  held(): number
  /** The most that are held. */
  readonly limit: number
}

export interface KeyHandlesOptions {
  readonly limit: number
  /** The session that owns the unwrapped keys: they die with it. */
  readonly keySession: Pkcs11Session
  /** The session for operations; another one after every failure. */
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
  readonly mechanisms: ReadonlySet<number>
}

interface HeldKey {
  readonly record: Buffer
  readonly handle: KeyHandle
  readonly row: KeyRow
  readonly whole: OpenedRecord
  /** An object of the token: eviction from the cache does not destroy it. */
  readonly isTokenObject: boolean
}

export function createKeyHandles({ limit, keySession, operation, roots, mechanisms }: KeyHandlesOptions): KeyHandles {
  const { verify, openPolicy, openGrant, openKey } = createSealCheck({ limit, operation, roots })
  const keys = createRecentMap<HeldKey>({ limit, dispose: (held) => release(keySession, held) })
  const unwrap = ({ row, kek, blob }: OpenRecord): KeyHandle => {
    const label = tokenObjectLabelOf(kek)
    if (label !== undefined) return findTokenObject(keySession, label, blob, row)
    const template = row.serves === 'sign' ? privateTemplate(row, false) : unwrappedTemplate(row)
    return keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, template)
  }

  const publicHalf = ({ row, publicKey }: OpenRecord): KeyHandle => {
    if (row.serves !== 'sign' || publicKey === undefined) throw wrongKind()
    return keySession.create(verifyingTemplate(row, publicKey))
  }

  const checkUse = (use: KeyUse, key: OpenedRecord, { policy, grant }: KeyReference): void => {
    const records = { key, policy: policy && openPolicy(policy), grant: grant && openGrant(grant) }
    const refusal = useRefusal(use, records, Date.now())
    if (refusal !== undefined) throw refusal
  }

  const hold = ({ key }: KeyReference, serves: KeyRow['serves'], half: 'private' | 'public' = 'private'): HeldKey => {
    const name = nameOf(key, half)
    const known = keys.get(name)
    if (known?.record.equals(key.record) === true) return known
    const opened = openKey(key)
    if (opened.row.serves !== serves) throw wrongKind()
    const isTokenObject = tokenObjectLabelOf(opened.kek) !== undefined && half === 'private'
    const handle = half === 'public' ? publicHalf(opened) : unwrap(opened)
    // The frame that brought the record is zeroed and given up after the reply: what stays is a copy.
    const held = { record: Buffer.from(key.record), handle, row: opened.row, whole: opened.whole, isTokenObject }
    keys.set(name, held)
    return held
  }

  const forgetting = <T>(name: () => string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (error instanceof TokenFailure && error.remedy === 'handle') keys.delete(name())
      throw error
    }
  }

  return {
    limit,
    verify,
    use(reference, use, serves, work) {
      const { handle, row, whole } = hold(reference, serves)
      checkUse(use, whole, reference)
      if (row.serves === 'sign' || row.serves !== serves) throw wrongKind()
      return forgetting(
        () => nameOf(reference.key, 'private'),
        () => work(handle, row),
      )
    },
    usePair(reference, half, work) {
      const { handle, row, whole } = hold(reference, 'sign', half)
      checkUse(half === 'private' ? 'write' : 'read', whole, reference)
      if (row.serves !== 'sign') throw wrongKind()
      return forgetting(
        () => nameOf(reference.key, half),
        () => work(handle, row),
      )
    },
    open(reference, use) {
      const opened = openKey(reference.key)
      checkUse(use, opened.whole, reference)
      return opened
    },
    shrink() {
      for (let surplus = Math.ceil(keys.size() / 2); surplus > 0; surplus--) keys.dropOldest()
    },
    held: () => keys.size(),
  }
}

function nameOf({ seal }: SealedRecord, half: 'private' | 'public'): string {
  const name = seal.toString('latin1')
  return half === 'public' ? `public ${name}` : name
}

function wrongKind(): Fault {
  return new Fault('hsm.rejected', 'A key of another kind does not serve here.')
}

// A handle that is void already is what was wanted; a token that is gone is noticed at the next operation.
function release(keySession: Pkcs11Session, { handle, isTokenObject }: HeldKey): void {
  if (isTokenObject) return
  try {
    keySession.destroy(handle)
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
  }
}
