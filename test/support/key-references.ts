import { createSealedVaultKeys, type SealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import type { StoredKey } from '../../src/features/transparent/records.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import type { TestAppliance } from './appliance.ts'
import { grantIn } from './grant-kit.ts'

type Places = Pick<TestAppliance, 'store' | 'token'>

/** The reference with which a worker uses the latest version of a key. Without a grant, that of an Admin is used. */
export async function latestReference(
  appliance: Places,
  stored: StoredKey,
  grant?: SealedRecord,
): Promise<KeyReference> {
  const granted = grant ?? (await grantIn(appliance, stored.key.vaultId))
  return latestIn(createSealedVaultKeys(appliance.store), stored, granted)
}

/** Such references to many keys of a vault. */
export async function latestReferences(
  appliance: Places,
  vaultId: string,
  keys: readonly StoredKey[],
): Promise<KeyReference[]> {
  const [vaultKeys, granted] = [createSealedVaultKeys(appliance.store), await grantIn(appliance, vaultId)]
  return Promise.all(keys.map((stored) => latestIn(vaultKeys, stored, granted)))
}

async function latestIn(
  vaultKeys: SealedVaultKeys,
  { key, latest }: StoredKey,
  grant: SealedRecord,
): Promise<KeyReference> {
  return (await vaultKeys.referencesOf(key, grant))(latest)
}
