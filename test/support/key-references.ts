import { createKeyPlaces } from '../../src/features/transparent/key-places.ts'
import type { StoredKey } from '../../src/features/transparent/records.ts'
import type { KeyReference } from '../../src/hsm/hsm.ts'
import type { Store } from '../../src/store/store.ts'

/** What a worker shows a host to use the latest version of a key. */
export async function latestReference(store: Pick<Store, 'read'>, { key, latest }: StoredKey): Promise<KeyReference> {
  return (await createKeyPlaces(store).referencesOf(key))(latest)
}
