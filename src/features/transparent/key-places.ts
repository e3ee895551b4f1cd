import { LRUCache } from 'lru-cache'
import type { SealedGrant } from '../../access/acting.ts'
import { Fault } from '../../fault.ts'
import { longestGrantMs } from '../../access/decision.ts'
import type { KeyReference, SealedRecord } from '../../hsm/hsm.ts'
import type { KeyPlace, KeyPurpose } from '../../hsm/made-key.ts'
import type { Store } from '../../store/store.ts'
import { findVault } from '../vaults/records.ts'
import { sealedVaultKey } from '../vaults/vault-key.ts'
import type { KeyVersion, TransparentKey } from './records.ts'
import { type Owner, sealedPolicy, sealedVersion } from './sealing.ts'

/** Keys lie below the key of their vault: whoever makes or uses one shows its record. */
export interface KeyPlaces {
  /** Where keys of a vault belong. @throws Fault `vault.not_found` */
  of(vaultId: number): Promise<Omit<KeyPlace, 'identity'>>
  /** What the material of versions is made for. */
  purposeOf(owner: Owner): Promise<KeyPurpose>
  /** The references of a key, made once per version: a host checks each object once, however many items name it. */
  referencesOf(key: TransparentKey, grant: SealedGrant): Promise<(version: KeyVersion) => KeyReference>
}

/** Records of vaults' keys in memory: some 300 bytes each. */
const heldRecords = 10_000
/** For no longer than a grant lasts: after that time an older version of the seal may be destroyed. */
const heldMs = longestGrantMs / 2
/** By default the cache sets a timer for each millisecond in which it is asked. */
const resolutionMs = 1_000

export function createKeyPlaces({ read }: Pick<Store, 'read'>): KeyPlaces {
  // By identities, which do not come back: what a record says stays good.
  const held = new LRUCache<string, SealedRecord>({ max: heldRecords, ttl: heldMs, ttlResolution: resolutionMs })

  async function find(vaultId: number): Promise<Omit<KeyPlace, 'identity'>> {
    const row = await findVault(read, vaultId)
    if (row === null) throw new Fault('vault.not_found')
    const place = { vault: Buffer.from(row.identity, 'hex'), vaultKey: sealedVaultKey(row) }
    held.set(place.vault.toString('latin1'), place.vaultKey)
    return place
  }

  async function vaultKeyOf(vaultId: number, vault: Buffer): Promise<SealedRecord> {
    return held.get(vault.toString('latin1')) ?? (await find(vaultId)).vaultKey
  }

  return {
    of: find,
    async purposeOf({ identity, vault, vaultId }) {
      return { place: { identity, vault, vaultKey: await vaultKeyOf(vaultId, vault) } }
    },
    async referencesOf(key, grant) {
      const vaultKey = await vaultKeyOf(key.vaultId, key.vault)
      const references = new Map<number, KeyReference>()
      return (version) => {
        const known = references.get(version.version)
        if (known !== undefined) return known
        const made = keyReference(key, version, grant, vaultKey)
        references.set(version.version, made)
        return made
      }
    },
  }
}

function keyReference(
  key: TransparentKey,
  version: KeyVersion,
  grant: SealedGrant,
  vaultKey: SealedRecord,
): KeyReference {
  return { key: sealedVersion(key, version), policy: sealedPolicy(key), grant, vaultKey }
}
