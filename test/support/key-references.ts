import { createKeyPlaces, type KeyPlaces } from '../../src/features/transparent/key-places.ts'
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
  return latestIn(createKeyPlaces(appliance.store), stored, granted)
}

/** Such references to many keys of a vault. */
export async function latestReferences(
  appliance: Places,
  vaultId: string,
  keys: readonly StoredKey[],
): Promise<KeyReference[]> {
  const [places, granted] = [createKeyPlaces(appliance.store), await grantIn(appliance, vaultId)]
  return Promise.all(keys.map((stored) => latestIn(places, stored, granted)))
}

async function latestIn(places: KeyPlaces, { key, latest }: StoredKey, grant: SealedRecord): Promise<KeyReference> {
  return (await places.referencesOf(key, grant))(latest)
}
