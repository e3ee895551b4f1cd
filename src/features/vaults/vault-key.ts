import { randomBytes } from 'node:crypto'
import { transactionGrant, type SealedGrant } from '../../access/transaction-grant.ts'
import type { Granted } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { keyRecord } from '../../hsm/key-record.ts'
import type { Hsm, KeyReference, SealedRecord } from '../../hsm/hsm.ts'
import type { Provenance } from '../../hsm/made-key.ts'
import { vaultKeyPurpose } from '../../hsm/provenance.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { countKeyUses, findVault, isKeyOfVault, type Vault } from './records.ts'
import { sealedVault } from './vault-seals.ts'

/** Where the data key of a vault is stored: as an object of the token, or wrapped in the database. */
export type VaultKeyStorage = 'token' | 'wrapped'

export type VaultKey = Pick<Vault, 'keyId' | 'keyKek' | 'keyBlob'>
export type NewVaultKey = VaultKey & Provenance & Pick<Vault, 'identity'>
/** The columns of a vault from which the record of its data key is made. */
export type SealedVaultKey = Pick<Vault, 'identity' | 'keyKek' | 'keyBlob' | 'keySeal'>

/** The data keys of vaults (AES-256-GCM), with which objects are encrypted. */
export interface VaultKeys {
  /** Makes a key for this vault, which is sealed and not stored yet, and for no other. */
  create(vault: Pick<Vault, 'identity' | 'creator' | 'seal'>, grant: SealedGrant | undefined): Promise<NewVaultKey>
  /** Binds a new key to its vault. The keeper does this once per vault. Resolves to the seal, 32 bytes. */
  seal(tx: Tx, vault: Pick<Vault, 'identity' | 'creator' | 'seal'>, key: NewVaultKey): Promise<Buffer>
  /** Destroys a key that was created and is not used. A wrapped key needs no destruction. */
  discard(key: NewVaultKey, grant: SealedGrant | undefined): Promise<void>
}

/** NIST SP 800-38D §8.3: encryptions under one key with random 96-bit IVs. */
const vaultKeyUses = 2 ** 32

const idBytes = 16

export function createVaultKeys(
  hsm: Pick<Hsm, 'permitObject' | 'createTokenObject' | 'generate' | 'seal'>,
  destruction: Pick<Destruction, 'discard'>,
  storage: VaultKeyStorage,
): VaultKeys {
  return {
    async create(vault, grant) {
      const { identity } = vault
      if (storage === 'token') {
        const permit = await hsm.permitObject(sealedVault(vault), grant)
        const { id: keyId, provenance } = await hsm.createTokenObject('aes256-gcm', permit)
        return { identity, keyId, keyKek: vaultKek, keyBlob: Buffer.from(keyId, 'hex'), provenance }
      }
      const options = { exportable: false, backup: false, purpose: purposeOf(identity) }
      const { kek, blob, provenance } = await hsm.generate('aes256-gcm', options)
      return { identity, keyId: randomBytes(idBytes).toString('hex'), keyKek: kek, keyBlob: blob, provenance }
    },
    async seal(tx, vault, { provenance, ...key }) {
      const record = recordOf(key)
      return hsm.seal(record, { previous: sealedVault(vault), provenance, grant: await transactionGrant(tx) })
    },
    async discard({ identity, keyId, keyKek: kek, keyBlob: blob, provenance }, grant) {
      if (kek !== vaultKek) return
      const made = { kind: 'aes256-gcm', kek, blob, purpose: purposeOf(identity), provenance } as const
      const isNamed = (reader: Reader) => isKeyOfVault(reader, keyId)
      await destruction.discard(made, isNamed, () => Promise.resolve(grant))
    },
  }
}

const purposeOf = (identity: Vault['identity']): Buffer => vaultKeyPurpose(Buffer.from(identity, 'hex'))

/** The reference to the key for a token host, which verifies its seal before the first use (`hsm.seal_broken`). */
export async function vaultKeyReference(vault: SealedVaultKey & Granted): Promise<KeyReference> {
  return { key: sealedVaultKey(vault), grant: await vault.grant() }
}

export const sealedVaultKey = (vault: SealedVaultKey): SealedRecord => ({
  record: recordOf(vault),
  seal: vault.keySeal,
})

/** The layout of all keys but those of release 0.2.0 that were not taken over. */
export const vaultKeyLayout = 2

function recordOf({ identity, keyKek, keyBlob }: Omit<SealedVaultKey, 'keySeal'>): Buffer {
  return keyRecord('aes256-gcm', { kek: keyKek, blob: keyBlob }, ['vault key 2', Buffer.from(identity, 'hex')])
}

/**
 * Counts encryptions with the data key of a vault. To be called in the transaction that stores their results.
 * @throws Fault `object.key_exhausted`, or `vault.not_found` where the vault was deleted meanwhile
 */
export async function spendKeyUses(tx: Tx, vaultId: number, uses: number): Promise<void> {
  if (await countKeyUses(tx, vaultId, uses, vaultKeyUses)) return
  throw new Fault((await findVault(tx, vaultId)) === null ? 'vault.not_found' : 'object.key_exhausted')
}
