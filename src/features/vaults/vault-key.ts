import { randomBytes } from 'node:crypto'
import { keyRecord } from '../../hsm/key-record.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import type { Hsm, KeyReference } from '../../hsm/hsm.ts'
import type { Vault } from './records.ts'

/** Where the data key of a vault lies: an object of the token, or wrapped in the database. */
export type VaultKeyPlace = 'token' | 'wrapped'

export type VaultKey = Pick<Vault, 'keyId' | 'keyKek' | 'keyBlob'>
type SealedVaultKey = Pick<Vault, 'id' | 'keyKek' | 'keyBlob' | 'keySeal'>

/** The data keys of vaults (AES-256-GCM): what the objects of a vault are encrypted with. */
export interface VaultKeys {
  create(): Promise<VaultKey>
  /** Binds the key to its vault: 32 bytes. */
  seal(vaultId: number, key: VaultKey): Promise<Buffer>
  /** A key that is not there is no error. One that was wrapped is gone with its row. */
  destroy(key: Pick<Vault, 'keyId' | 'keyKek'>): Promise<void>
}

/** NIST SP 800-38D §8.3: encryptions under one key with random 96-bit IVs. */
export const vaultKeyUses = 2 ** 32

const idBytes = 16

export function createVaultKeys(
  hsm: Pick<Hsm, 'createVaultKey' | 'destroyVaultKey' | 'generate' | 'seal'>,
  place: VaultKeyPlace,
): VaultKeys {
  return {
    async create() {
      if (place === 'token') {
        const keyId = await hsm.createVaultKey()
        return { keyId, keyKek: vaultKek, keyBlob: Buffer.from(keyId, 'hex') }
      }
      const { kek, blob } = await hsm.generate('aes256-gcm', { exportable: false, backup: false })
      return { keyId: randomBytes(idBytes).toString('hex'), keyKek: kek, keyBlob: blob }
    },
    seal: (vaultId, key) => hsm.seal(recordOf({ id: vaultId, ...key })),
    async destroy({ keyId, keyKek }) {
      if (keyKek === vaultKek) await hsm.destroyVaultKey(keyId)
    },
  }
}

/** The key for the token host, which checks its seal before the first use (`hsm.seal_broken`). */
export function vaultKeyReference(vault: SealedVaultKey): KeyReference {
  return { key: { record: recordOf(vault), seal: vault.keySeal } }
}

function recordOf({ id, keyKek, keyBlob }: Omit<SealedVaultKey, 'keySeal'>): Buffer {
  return keyRecord('aes256-gcm', { kek: keyKek, blob: keyBlob }, ['vault key', id])
}
