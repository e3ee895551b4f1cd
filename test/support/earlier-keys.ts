import { encodeRecord, keyRecord } from '../../src/hsm/key-record.ts'
import {
  findVersions,
  findKeyById,
  KeyVersionTable,
  type KeyVersion,
  type TransparentKey,
  TransparentKeyTable,
} from '../../src/features/transparent/records.ts'
import { invocationsRecord, policyRecord, versionRecord } from '../../src/features/transparent/sealing.ts'
import { findVault, type Vault, VaultTable } from '../../src/features/vaults/records.ts'
import type { TestAppliance } from './appliance.ts'
import { rawSeal } from './raw-seal.ts'
import { openByVaultKey } from './vault-key-opener.ts'

/**
 * Makes a vault and its keys what they were in release 0.2.0: records that name rows, one wrapping. Seals are made with
 * the PIN. The daemon may go on running.
 */
export async function keysOfRelease020({ store, token }: TestAppliance, vaultId: number): Promise<void> {
  const vault = await findVault(store.read, vaultId)
  if (vault === null) throw new Error('there is no such vault')
  const rows = await store.read.find(TransparentKeyTable, { where: { vaultId } })
  const found = await Promise.all(rows.map(({ id }) => findKeyById(store.read, id)))
  const keys = found.filter((key) => key !== null)
  const wanted: { readonly record: Buffer; readonly keep: (seal: Buffer) => Promise<unknown> }[] = []

  const inner = (content: string, key: TransparentKey, blob: Buffer): Buffer =>
    openByVaultKey(token, vault.keyBlob, blob, encodeRecord([content, key.identity, key.vault]))

  function earlierVersion(key: TransparentKey, version: KeyVersion): KeyVersion {
    if (version.kek === 'token') return { ...version, generation: 0 }
    const backupBlob = version.backupBlob && inner('backup', key, version.backupBlob)
    return { ...version, generation: 0, blob: inner('key version', key, version.blob), backupBlob }
  }

  for (const key of keys) {
    const { vault: _vault, ...row } = { ...key, identity: null, generation: 0 }
    const earlier = { ...row, vault: null }
    for (const version of await findVersions(store.read, key.id)) {
      const where = { keyId: key.id, version: version.version }
      const { invocationsSeal: _, seal: __, ...sealed } = earlierVersion(key, version)
      const keep = (change: Partial<KeyVersion>) =>
        store.transaction((tx) => tx.update(KeyVersionTable, where, { ...change }))
      wanted.push({ record: versionRecord(earlier, sealed), keep: (seal) => keep({ ...sealed, seal }) })
      const count = invocationsRecord(earlier, version.version, version.invocations)
      wanted.push({ record: count, keep: (invocationsSeal) => keep({ invocationsSeal }) })
    }
    wanted.push({
      record: policyRecord(earlier),
      keep: (seal) => store.transaction((tx) => tx.update(TransparentKeyTable, { id: key.id }, { ...row, seal })),
    })
  }
  wanted.push({
    record: keyRecord('aes256-gcm', { kek: vault.keyKek, blob: vault.keyBlob }, ['vault key', vaultId]),
    keep: (keySeal) => {
      const change: Partial<Vault> = { keyLayout: 1, keySeal }
      return store.transaction((tx) => tx.update(VaultTable, { id: vaultId }, change))
    },
  })
  for (const { record, keep } of wanted) await keep(rawSeal(token, record))
}
