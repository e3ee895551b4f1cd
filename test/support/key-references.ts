import { createKeyPlaces } from '../../src/features/transparent/key-places.ts'
import type { StoredKey } from '../../src/features/transparent/records.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import type { TestAppliance } from './appliance.ts'
import { grantIn } from './grant-kit.ts'

/** What a worker shows a host to use the latest version of a key, by a grant of an Admin where none is given. */
export async function latestReference(
  appliance: Pick<TestAppliance, 'store' | 'token'>,
  { key, latest }: StoredKey,
  grant?: SealedRecord,
): Promise<KeyReference> {
  const granted = grant ?? (await grantIn(appliance, key.vaultId))
  return (await createKeyPlaces(appliance.store).referencesOf(key, granted))(latest)
}
