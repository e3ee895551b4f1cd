import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { OuterWrapping, MadeKey, KeyIdentity, WrappedKey } from '../made-key.ts'
import { tokenObjectKek } from '../key-kind.ts'
import { encodeRecord } from '../key-record.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

// A key of a vault is wrapped twice. The inner wrapping, by a KEK, keeps the key unreadable for a holder of the PIN.
// The outer wrapping, by the data key of the vault, ends with that key: destroying the one object of the vault destroys
// every key in the vault, also in older copies of the database.

/** The part of a `Connection` that is used here. */
interface VaultKeyUser {
  readonly session: Pkcs11Session
  readonly keys: {
    useVaultKey<T>(of: Pick<OuterWrapping, 'vault' | 'vaultKey'>, work: (key: KeyHandle, row: SecretKeyRow) => T): T
  }
}

/** Content of an outer wrapping: a version of a key, or its backup. */
export type Content = 'key version' | 'backup'

/** Binds the outer wrapping to its content, key and vault, so that it cannot be exchanged for another one. */
function aadOf(content: Content, { identity, vault }: KeyIdentity): Buffer {
  return encodeRecord([content, identity, vault])
}

/**
 * Opens the outer wrapping and returns the inner one. Throws TokenFailure where the vault's key did not make the outer
 * wrapping for this key.
 */
export function removeOuterWrapping(
  { session, keys }: VaultKeyUser,
  vaultKey: SealedRecord | undefined,
  content: Content,
  { blob, identity, vault }: KeyIdentity & Pick<WrappedKey, 'blob'>,
): Buffer {
  if (vaultKey === undefined)
    throw new Fault('hsm.rejected', 'This key lies below the key of its vault: show that, too.')
  return keys.useVaultKey({ vault, vaultKey }, (handle, row) =>
    decryptWith(session, handle, row, blob, aadOf(content, { identity, vault })),
  )
}

/**
 * Adds the outer wrapping, by the key of its vault, to a new key. A key without a vault, or that is an object of the
 * token, is returned unchanged.
 */
export function addOuterWrapping(
  { session, keys }: VaultKeyUser,
  outer: OuterWrapping | undefined,
  made: MadeKey,
): MadeKey {
  if (outer === undefined || made.kek === tokenObjectKek) return made
  return keys.useVaultKey(outer, (handle, row) => {
    const below = (content: Content, { kek, blob }: WrappedKey): WrappedKey => ({
      kek,
      blob: encryptWith(session, handle, row, blob, aadOf(content, outer)),
    })
    return { ...made, ...below('key version', made), backup: made.backup && below('backup', made.backup) }
  })
}
