import type { Granted } from '../../access/caller.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import { retryOutdated } from './outdated-key.ts'
import type { Ciphertext } from './ciphertext.ts'
import type { Invocations } from './invocations.ts'
import { checkAad, cipherOf, keyTypeOf } from './key-type.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { existing, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { StoredKey, TransparentKey } from './records.ts'
import { mapBrokenSeal } from './sealing.ts'

export interface DataKeyRequest {
  readonly bytes: number
  /** Undefined: the latest version. */
  readonly version: number | undefined
  readonly aad: Buffer | undefined
  /** Whether the client asked for the data key in plain as well. */
  readonly open: boolean
}

export interface DataKey {
  readonly key: TransparentKey
  /** The data key, encrypted. */
  readonly ciphertext: Ciphertext
  /** Set only where the client asked for it. The route zeroes it. */
  readonly plaintext: Buffer | undefined
}

/**
 * Data keys, by which clients encrypt data too large to send. They are made in the token and returned encrypted under a
 * named key.
 */
export interface DataKeys {
  /**
   * @throws Fault `key.not_found`, `key.wrong_type`, `request.invalid`, `key.version_unknown`,
   * `key.version_disabled`, `key.exhausted`, `key.tampered`
   */
  make(by: Granted, stored: StoredKey | undefined, request: DataKeyRequest): Promise<DataKey>
}

interface DataKeyDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'makeDataKey'>
  readonly keyring: Pick<Keyring, 'rotateIfDue'>
  readonly versions: Pick<KeyVersions, 'find'>
  readonly invocations: Pick<Invocations, 'spend'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'referencesOf'>
}

export function createDataKeys(on: DataKeyDependencies): DataKeys {
  return {
    make: (by, stored, request) => retryOutdated(on.store.read, stored, (current) => make(on, by, current, request)),
  }
}

async function make(
  { hsm, keyring, versions, invocations, vaultKeys }: DataKeyDependencies,
  by: Granted,
  stored: StoredKey | undefined,
  { bytes, version, aad, open }: DataKeyRequest,
): Promise<DataKey> {
  const type = keyTypeOf(existing(stored).key.type)
  cipherOf(type)
  checkAad(type, aad)
  const found = version === undefined ? await keyring.rotateIfDue(existing(stored)) : existing(stored)
  const { key } = found
  const used = await versions.find(found, version ?? key.latestVersion, writableFrom(key), 'encrypts')
  await invocations.spend(by, key, used.version, 1)
  const reference = (await vaultKeys.referencesOf(key, await by.grant()))(used)
  // Without `open` the plaintext never leaves the token host.
  const { ciphertext, plaintext } = await mapBrokenSeal(() => hsm.makeDataKey(reference, { count: bytes, aad, open }))
  return { key, ciphertext: { version: used.version, bytes: ciphertext }, plaintext }
}
