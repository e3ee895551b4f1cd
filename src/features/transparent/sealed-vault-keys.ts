import { LRUCache } from 'lru-cache'
import type { SealedGrant } from '../../access/transaction-grant.ts'
import { Fault } from '../../fault.ts'
import { longestGrantMs } from '../../access/decision.ts'
import type { KeyReference, SealedRecord } from '../../hsm/hsm.ts'
import type { OuterWrapping, KeyPurpose } from '../../hsm/made-key.ts'
import type { Store } from '../../store/store.ts'
import { findVault } from '../vaults/records.ts'
import { sealedVaultKey } from '../vaults/vault-key.ts'
import type { KeyVersion, TransparentKey } from './records.ts'
import { type Owner, sealedPolicy, sealedVersion } from './sealing.ts'

/** Finds the sealed record of a vault's data key, which must accompany each creation and use of a key in that vault. */
export interface SealedVaultKeys {
  /** The vault that new keys belong to. @throws Fault `vault.not_found` */
  of(vaultId: number): Promise<Omit<OuterWrapping, 'identity'>>
  /** The purpose to which new key material is bound. */
  purposeOf(owner: Owner): Promise<KeyPurpose>
  /**
   * Makes references to the versions of a key, one object per version, so that a token host checks each version once
   * however many items use it.
   */
  referencesOf(key: TransparentKey, grant: SealedGrant): Promise<(version: KeyVersion) => KeyReference>
}

/** Number of records kept in memory, some 300 bytes each. */
const heldRecords = 10_000
/** Shorter than a grant: after that time an older version of the seal key may be destroyed. */
const heldMs = longestGrantMs / 2
/** Coarse, because the cache would otherwise set a timer for each millisecond in which it is used. */
const resolutionMs = 1_000

export function createSealedVaultKeys({ read }: Pick<Store, 'read'>): SealedVaultKeys {
  // Keyed by the identities of vaults, which are never used twice, so that no entry becomes wrong.
  const held = new LRUCache<string, SealedRecord>({ max: heldRecords, ttl: heldMs, ttlResolution: resolutionMs })

  async function find(vaultId: number): Promise<Omit<OuterWrapping, 'identity'>> {
    const row = await findVault(read, vaultId)
    if (row === null) throw new Fault('vault.not_found')
    const found = { vault: Buffer.from(row.identity, 'hex'), vaultKey: sealedVaultKey(row) }
    held.set(found.vault.toString('latin1'), found.vaultKey)
    return found
  }

  async function vaultKeyOf(vaultId: number, vault: Buffer): Promise<SealedRecord> {
    return held.get(vault.toString('latin1')) ?? (await find(vaultId)).vaultKey
  }

  return {
    of: find,
    async purposeOf({ identity, vault, vaultId }) {
      return { outerWrapping: { identity, vault, vaultKey: await vaultKeyOf(vaultId, vault) } }
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
