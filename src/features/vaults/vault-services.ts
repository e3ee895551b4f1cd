import type { DailyUse } from '../../access/daily-use.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { createDailyItems } from './daily-items.ts'
import { createMemberships, type Memberships } from './membership.ts'
import { createVaultKeys, type VaultKeyStorage } from './vault-key.ts'
import { createVaults, type VaultDependencies, type Vaults } from './vault.ts'

/** Vaults and their members. */
export interface VaultServices {
  readonly vaults: Vaults
  readonly memberships: Memberships
  /** Counts the items of narrowed members against their daily limits. */
  readonly dailyItems: DailyUse
}

export function createVaultServices(dependencies: {
  readonly store: Store
  readonly hsm: Hsm
  readonly destruction: Destruction
  readonly clock: Clock
  /** Where the data keys of new vaults are stored. */
  readonly keyStorage: VaultKeyStorage
  readonly objects: VaultDependencies['objects']
}): VaultServices {
  const { store, hsm, clock, keyStorage, destruction, objects } = dependencies
  const vaultKeys = createVaultKeys(hsm, destruction, keyStorage)
  return {
    vaults: createVaults({ store, hsm, vaultKeys, destruction, clock, objects }),
    memberships: createMemberships({ store, hsm, clock }),
    dailyItems: createDailyItems({ store, clock }),
  }
}
