import type { ApplianceCommit } from '../../audit/recorded-commit.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import type { Vaults } from '../vaults/vault.ts'
import { createBackupOrigins } from './backup-origins.ts'
import { createCiphers, type Ciphers } from './ciphers.ts'
import { createDataKeys, type DataKeys } from './data-keys.ts'
import { createImportJobs, type ImportJobs } from './import-jobs.ts'
import { createInvocations } from './invocations.ts'
import { createKeyDeletion, type KeyDeletion } from './key-deletion.ts'
import { createSealedVaultKeys } from './sealed-vault-keys.ts'
import { createKeyVersions } from './key-versions.ts'
import { createKeyBackups, type KeyBackups } from './key-backups.ts'
import { createKeyExport, type ExportKey } from './key-exports.ts'
import { createKeyring, type Keyring } from './keyring.ts'
import type { CommitForKey } from './rotation-commit.ts'
import { createSignatures, type Signatures } from './signatures.ts'
import { createVersionLimits, type VersionRules } from './version-limits.ts'

/** The encryption facility (spec: Transparent encryption). */
export interface TransparentServices {
  readonly keyring: Keyring
  readonly keyDeletion: KeyDeletion
  readonly ciphers: Ciphers
  readonly dataKeys: DataKeys
  readonly signatures: Signatures
  readonly keyBackups: KeyBackups
  readonly exportKey: ExportKey
  readonly importJobs: ImportJobs
}

export function createTransparent(dependencies: {
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  readonly vaults: Pick<Vaults, 'settings'>
  readonly destruction: Destruction
  readonly commitAsAppliance: ApplianceCommit
  readonly rules: VersionRules & { readonly invocationLease: number; readonly recoveryWindowMs: number }
}): TransparentServices {
  const { store, hsm, clock, vaults, destruction, rules, commitAsAppliance } = dependencies
  const invocations = createInvocations({ store, hsm, leaseSize: rules.invocationLease })
  const vaultKeys = createSealedVaultKeys(store)
  const versions = createKeyVersions({ store, hsm, invocations, vaultKeys, destruction, clock })
  const commitForKey: CommitForKey = (operation, { vaultId, name }, work) =>
    commitAsAppliance(operation, { vault: String(vaultId), key: name }, work)
  const keyring = createKeyring({
    store,
    hsm,
    versions,
    invocations,
    vaultKeys,
    destruction,
    clock,
    commitAsAppliance: commitForKey,
    limits: createVersionLimits(store, rules),
  })
  const createsOnUse = async (vaultId: number) => (await vaults.settings(vaultId)).createsKeysOnUse
  return {
    keyring,
    keyDeletion: createKeyDeletion({
      store,
      hsm,
      destruction,
      clock,
      recoveryWindowMs: rules.recoveryWindowMs,
      commitAsAppliance: commitForKey,
    }),
    ciphers: createCiphers({ store, hsm, keyring, versions, invocations, vaultKeys, createsOnUse }),
    dataKeys: createDataKeys({ store, hsm, keyring, versions, invocations, vaultKeys }),
    signatures: createSignatures({ store, hsm, keyring, versions, vaultKeys }),
    exportKey: createKeyExport({ store, hsm, versions, vaultKeys }),
    keyBackups: createKeyBackups({
      store,
      hsm,
      versions,
      vaultKeys,
      destruction,
      origins: createBackupOrigins({ hsm, clock }),
      clock,
    }),
    importJobs: createImportJobs({ store, hsm, keyring, vaultKeys, clock }),
  }
}
