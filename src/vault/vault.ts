import { permissionBits, type Permission } from '../access/permission.ts'
import type { Clock } from '../clock.ts'
import type { Commit, Store } from '../store/store.ts'
import {
  addMember,
  insertVault,
  isKeyInUse,
  sealVaultKey,
  membersOf,
  vaultsOf,
  type Member,
  type SharedVault,
  changeKeyRules,
  findKeyRules,
  permissionOf,
  type KeyRules,
} from './records.ts'
import type { VaultKey, VaultKeys } from './vault-key.ts'

export interface NewVault {
  readonly name: string
  readonly policyId: number
  readonly description: string
}

export interface Vaults {
  /** A vault with a data key of its own in the token, and its creator as the only member, with Admin. */
  create(vault: NewVault, creatorId: number, commit: Commit): Promise<SharedVault>
  /** The vaults that are shared with a user, in the order of their ids. */
  listFor(userId: number): Promise<SharedVault[]>
  members(vaultId: number): Promise<Member[]>
  /** How the keys of a vault may be made and used. */
  settings(vaultId: number): Promise<VaultSettings>
  changeSettings(vaultId: number, changes: VaultChanges, commit: Commit): Promise<VaultSettings>
}

export interface VaultSettings {
  /** Whether the first use of a name makes a transparent key. */
  readonly createsKeysOnUse: boolean
  /** What signing needs. */
  readonly signingPermission: Permission
}

export type VaultChanges = { readonly [setting in keyof VaultSettings]?: VaultSettings[setting] | undefined }

const defaultRules: KeyRules = { createsKeysOnUse: 1, signingPermission: permissionBits.Write }

function settingsOf({ createsKeysOnUse, signingPermission }: KeyRules): VaultSettings {
  return { createsKeysOnUse: createsKeysOnUse === 1, signingPermission: permissionOf(signingPermission) }
}

export interface VaultDependencies {
  readonly store: Store
  readonly vaultKeys: VaultKeys
  readonly clock: Clock
}

export function createVaults({ store, vaultKeys, clock }: VaultDependencies): Vaults {
  /** A commit that failed may have happened all the same: only a key that the database does not know goes. */
  async function discardKey(key: VaultKey): Promise<void> {
    try {
      if (!(await isKeyInUse(store, key.keyId))) await vaultKeys.destroy(key)
    } catch {
      // Left behind as waste; the error that led here is the one to tell.
    }
  }

  return {
    async create(vault, creatorId, commit) {
      // The key first: a vault without a key must never exist, a key without a vault is only waste (`doctor` finds it).
      const key = await vaultKeys.create()
      try {
        return await commit(async (tx) => {
          const now = clock.now()
          const { id, name, policyId, description } = await insertVault(tx, {
            ...vault,
            ...defaultRules,
            ...key,
            keySeal: Buffer.alloc(0),
            keyUses: 0,
            createdAt: now,
          })
          await sealVaultKey(tx, id, await vaultKeys.seal(id, key))
          await addMember(tx, id, creatorId, 'Admin', now)
          return { id, name, policyId, description, permission: 'Admin' as const }
        })
      } catch (error) {
        await discardKey(key)
        throw error
      }
    },

    listFor: (userId) => vaultsOf(store, userId),
    members: (vaultId) => membersOf(store, vaultId),
    settings: async (vaultId) => settingsOf(await findKeyRules(store.read, vaultId)),

    changeSettings: (vaultId, { createsKeysOnUse, signingPermission }, commit) =>
      commit(async (tx) => {
        const current = await findKeyRules(tx, vaultId)
        const next = {
          createsKeysOnUse: createsKeysOnUse === undefined ? current.createsKeysOnUse : Number(createsKeysOnUse),
          signingPermission:
            signingPermission === undefined ? current.signingPermission : permissionBits[signingPermission],
        }
        await changeKeyRules(tx, vaultId, next)
        return settingsOf(next)
      }),
  }
}
