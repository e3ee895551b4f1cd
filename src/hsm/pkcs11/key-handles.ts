import type { KeyUse } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import type { KeyReference, SealedRecord } from '../hsm.ts'
import { useRefusal } from '../key-use.ts'
import type { OuterWrapping } from '../made-key.ts'
import type { FloorCheck } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import { createHeldKeys, type Half, wrongKind } from './held-keys.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-keys.ts'
import { createSealCheck, openSealed, type OpenRecord } from './seal-check.ts'

/**
 * The unwrapped keys of one epoch. It ends with its connection, and so no handle outlives its epoch.
 *
 * For a record seen for the first time, the seal is verified and the blob unwrapped. For a known one, equal in every byte,
 * neither is repeated.
 * @throws Fault `hsm.seal_broken`; `hsm.rejected` for a key of the wrong kind; `hsm.outdated` for an older row that was put
 * back, since a seal does not show its age
 */
export interface KeyHandles {
  /** Calls `work` with the unwrapped secret key and its record, where grant and policy allow the use. */
  use<T>(
    reference: KeyReference,
    use: KeyUse,
    serves: SecretKeyRow['serves'],
    work: (key: KeyHandle, row: SecretKeyRow, used: UsedRecord) => T,
  ): T
  /** As `use`, with one half of a key pair: the private one signs, the public one verifies. */
  usePair<T>(reference: KeyReference, half: Half, work: (key: KeyHandle, row: KeyPairRow) => T): T
  /**
   * Verifies the seals, checks grant and policy, and returns the record without its outer wrapping. Creates no key in
   * the token.
   */
  open(reference: KeyReference, use: KeyUse): OpenRecord
  /** Calls `work` with the key of a vault, for the outer wrapping of keys of that vault. */
  useVaultKey<T>(of: Pick<OuterWrapping, 'vault' | 'vaultKey'>, work: (key: KeyHandle, row: SecretKeyRow) => T): T
  /** @throws Fault `hsm.seal_broken` unless the seal is that of the record */
  verify(sealed: SealedRecord): void
  /** Verifies and reads the count of a version. @throws Fault `hsm.seal_broken`, `hsm.outdated` for an earlier count */
  openCount(count: SealedRecord): OpenedRecord
  /** Remembers a seal that was made here. */
  noteMade(sealed: SealedRecord): void
  /** @throws Fault `hsm.rejected` unless the keeper was shown this record, or a later one */
  checkKnown(record: OpenedRecord): void
  /** Releases the keys of vaults that were deleted since the last call. */
  dropDeleted(): void
  /** Releases the less recently used half, for a token that is full. */
  shrink(): void
  held(): number
  /** Largest number of keys held. */
  readonly limit: number
}

/** The record of a key that is used. */
export interface UsedRecord {
  readonly whole: OpenedRecord
  /** Where the caller's rights are narrowed: throws `access.permission` unless they allow the use with this aad. */
  readonly checkAad: ((aad: Buffer) => void) | undefined
}

export interface KeyHandlesOptions {
  readonly limit: number
  /** The session that owns the unwrapped keys, which end with it. */
  readonly keySession: Pkcs11Session
  /** The session for operations, which is replaced after every failure. */
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
  readonly mechanisms: ReadonlySet<number>
  /** Undefined in a keeper, which checks its own memory. */
  readonly floors?: FloorCheck | undefined
}

export function createKeyHandles(options: KeyHandlesOptions): KeyHandles {
  const { limit, floors } = options
  const { verify, noteMade, openPolicy, openGrant, openKey } = createSealCheck(options)
  const held = createHeldKeys({ ...options, openKey })

  const checkUse = (use: KeyUse, key: OpenedRecord, { policy, grant }: KeyReference): UsedRecord => {
    const records = { key, policy: policy && openPolicy(policy), grant: grant && openGrant(grant) }
    const check = (aad?: Buffer): void => {
      const refusal = useRefusal(use, records, Date.now(), aad)
      if (refusal !== undefined) throw refusal
    }
    check()
    floors?.check(key, ...(records.policy ? [records.policy] : []))
    return { whole: key, checkAad: typeof records.grant?.grants === 'string' ? check : undefined }
  }

  return {
    limit,
    verify,
    noteMade,
    use(reference, use, serves, work) {
      const { handle, row, whole } = held.hold(reference, serves)
      const used = checkUse(use, whole, reference)
      if (row.serves === 'sign' || row.serves !== serves) throw wrongKind()
      return held.forgetting(reference.key, 'private', () => work(handle, row, used))
    },
    usePair(reference, half, work) {
      const { handle, row, whole } = held.hold(reference, 'sign', half)
      checkUse(half === 'private' ? 'sign' : 'verify', whole, reference)
      if (row.serves !== 'sign') throw wrongKind()
      return held.forgetting(reference.key, half, () => work(handle, row))
    },
    open(reference, use) {
      const opened = openKey(reference.key)
      checkUse(use, opened.whole, reference)
      // A backup uses the second blob of the record, whose outer wrapping the caller opens.
      return use === 'backup' ? opened : held.inner(opened, reference.vaultKey)
    },
    useVaultKey: (of, work) => held.useVaultKey(of, work),
    openCount(count) {
      verify(count)
      const opened = openSealed(Buffer.from(count.record))
      floors?.check(opened)
      return opened
    },
    checkKnown(record) {
      if (floors?.knows(record) === false)
        throw new Fault('hsm.rejected', 'The keeper was not shown that the key has ended.')
    },
    dropDeleted() {
      const vaults = floors?.newlyDeleted() ?? []
      if (vaults.length > 0) held.dropVaults(vaults)
    },
    shrink: () => held.shrink(),
    held: () => held.count(),
  }
}
