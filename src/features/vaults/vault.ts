import type { Granted } from '../../access/caller.ts'
import { permissionBits, type Permission } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Commit, Reader, Store, Tx } from '../../store/store.ts'
import { UndecidedCommit } from '../../store/undecided-commit.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { insertPending } from '../destruction/records.ts'
import { recordTombstone } from '../destruction/tombstone.ts'
import { lockedUser, personById, type User } from '../users/records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { addMember, removeEveryMember } from './membership-records.ts'
import {
  changeKeyRules,
  changeVault,
  countContents,
  deleteVault,
  findVault,
  insertVault,
  lockVault,
  permissionOf,
  vaultsOf,
  type KeyRules,
  type SharedVault,
  type Vault,
  type VaultFields,
} from './records.ts'
import { sealedVaultKey, vaultKeyLayout, type VaultKeys } from './vault-key.ts'
import { sealedVault, sealMembership, sealNewVault } from './vault-seals.ts'

export interface Vaults {
  /** Creates a vault with a data key of its own; its creator is the only member, with Admin. */
  create(vault: VaultFields, by: Granted & { readonly userId: number }, commit: Commit): Promise<SharedVault>
  /** The vaults that are shared with a user, in the order of their ids. */
  listFor(userId: number): Promise<SharedVault[]>
  /** @throws Fault `vault.not_found` */
  read(vaultId: number): Promise<Vault>
  /** Changes the fields that are given. @throws Fault `vault.not_found` */
  edit(vaultId: number, changes: Partial<VaultFields>, commit: Commit): Promise<Vault>
  /**
   * Deletes an empty vault and then its data key, so that nothing encrypted with it can ever be decrypted again. A
   * large trash is destroyed in groups beforehand; `announce` is told of each group first.
   * @throws Fault `vault.not_found`, `vault.not_empty`, and what `announce` throws
   */
  remove(vaultId: number, commit: Commit, announce: AnnounceGroup): Promise<void>
  /** How the keys of a vault may be created and used. */
  settings(vaultId: number): Promise<VaultSettings>
  changeSettings(vaultId: number, changes: VaultChanges, commit: Commit): Promise<VaultSettings>
}

export interface VaultSettings {
  /** Whether the first use of a name creates a transparent key. */
  readonly createsKeysOnUse: boolean
  /** The permission that signing requires. */
  readonly signingPermission: Permission
  /** Whether calls with unknown members are refused. No key is then created by a first use either. */
  readonly strict: boolean
}

export type VaultChanges = { readonly [setting in keyof VaultSettings]?: VaultSettings[setting] | undefined }

const defaultRules: KeyRules = { createsKeysOnUse: 1, signingPermission: permissionBits.Write, strict: 0 }

function settingsOf({ createsKeysOnUse, signingPermission, strict }: KeyRules): VaultSettings {
  return {
    createsKeysOnUse: createsKeysOnUse === 1 && strict !== 1,
    signingPermission: permissionOf(signingPermission),
    strict: strict === 1,
  }
}

export interface VaultDependencies {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'sealTombstone'>
  readonly vaultKeys: VaultKeys
  readonly destruction: Pick<Destruction, 'destroyPending'>
  readonly clock: Clock
  readonly objects: ObjectsOfVault
}

/** The objects of a vault that is about to be deleted. */
export interface ObjectsOfVault {
  /** Counts the objects that are not in the trash. */
  readonly count: (reader: Reader, vaultId: number) => Promise<number>
  /** Destroys most of the trash, in groups. */
  readonly thin: (vaultId: number, announce: AnnounceGroup) => Promise<void>
  /** Destroys the trash; resolves to the number of objects that are not in it. */
  readonly clear: (tx: Tx, vaultId: number) => Promise<number>
}

/** Told the number of objects in the next group; where it rejects, the group is not destroyed. */
export type AnnounceGroup = (objects: number) => Promise<void>

export function createVaults(on: VaultDependencies): Vaults {
  const { store, hsm, vaultKeys, clock } = on

  async function read(vaultId: number): Promise<Vault> {
    return (await findVault(store.read, vaultId)) ?? missing()
  }

  return {
    async create(vault, by, commit) {
      // Identity and key are made first, since a token that is slow would hold up all changes in a transaction. A vault
      // must never exist without a key, whereas a key without a vault is only waste (`doctor` finds it).
      const grant = await by.grant()
      const sealed = await sealNewVault(hsm, (await personById(store.read, by.userId)).identity, grant)
      const made = await vaultKeys.create(sealed, grant)
      const { provenance: _, ...key } = made
      try {
        return await commit(async (tx) => {
          const creator = await lockedUser(tx, by.userId)
          afterCommit(tx, () => hsm.raise([sealedVault(sealed)]))
          const keySeal = await vaultKeys.seal(tx, sealed, made)
          const uses = { keyLayout: vaultKeyLayout, keySeal, keyUses: 0, createdAt: clock.now() }
          const row = await insertVault(tx, { ...vault, ...defaultRules, ...key, ...sealed, ...uses })
          await addCreator(hsm, tx, row, creator)
          const { id, name, policyId, description, history } = row
          return { id, name, policyId, description, history, permission: 'Admin' as const, scope: null }
        })
      } catch (error) {
        if (!(error instanceof UndecidedCommit)) await vaultKeys.discard(made, grant)
        throw error
      }
    },

    listFor: (userId) => vaultsOf(store.read, userId),
    read,

    async edit(vaultId, changes, commit) {
      return commit(async (tx) => {
        if (Object.keys(changes).length > 0) await changeVault(tx, vaultId, changes)
        return (await findVault(tx, vaultId)) ?? missing()
      })
    },

    remove: (vaultId, commit, announce) => remove(on, vaultId, commit, announce),

    settings: async (vaultId) => settingsOf((await findVault(store.read, vaultId)) ?? missing()),

    changeSettings: (vaultId, { createsKeysOnUse, signingPermission, strict }, commit) =>
      commit(async (tx) => {
        // Locked, so that a parallel change of another setting is not undone.
        await lockVault(tx, vaultId)
        const current = (await findVault(tx, vaultId)) ?? missing()
        const next = {
          createsKeysOnUse: createsKeysOnUse === undefined ? current.createsKeysOnUse : Number(createsKeysOnUse),
          signingPermission:
            signingPermission === undefined ? current.signingPermission : permissionBits[signingPermission],
          strict: strict === undefined ? current.strict : Number(strict),
        }
        await changeKeyRules(tx, vaultId, next)
        return settingsOf(next)
      }),
  }
}

async function remove(
  { store, hsm, clock, objects, destruction }: VaultDependencies,
  vaultId: number,
  commit: Commit,
  announce: AnnounceGroup,
): Promise<void> {
  // Checked early, before the trash is destroyed; the check within the transaction decides.
  checkEmpty(await countContents(store.read, vaultId), await objects.count(store.read, vaultId))
  await objects.thin(vaultId, announce)
  await commit(async (tx) => {
    // Locked first: calls that put something into the vault lock it first as well, so that there is no deadlock.
    await lockVault(tx, vaultId)
    const vault = (await findVault(tx, vaultId)) ?? missing()
    checkEmpty(await countContents(tx, vaultId), await objects.clear(tx, vaultId))
    const mark = await recordTombstone(hsm, tx, sealedVault(vault))
    await removeEveryMember(tx, vaultId)
    await deleteVault(tx, vaultId)
    const object = { objectId: vault.keyId, key: sealedVaultKey(vault), mark }
    if (vault.keyKek === vaultKek) await insertPending(tx, object, clock.now())
  })
  // The vault is deleted in any case; what the token could not destroy now is destroyed later.
  await destruction.destroyPending().catch(() => [])
}

/** Makes the creator the first member, with Admin. */
async function addCreator(hsm: Sealer, tx: Tx, vault: Vault, creator: User): Promise<void> {
  const first = { permission: permissionBits.Admin, grants: null, recoveries: creator.recoveries, generation: 1 }
  const state = await sealMembership(hsm, tx, { vault, user: creator }, first, sealedVault(vault))
  const grant = { permission: 'Admin', grants: null, by: creator.id, at: vault.createdAt } as const
  await addMember(tx, { vaultId: vault.id, userId: creator.id }, grant, state)
}

function checkEmpty({ keys }: { readonly keys: number }, objects: number): void {
  if (objects > 0)
    throw new Fault(
      'vault.not_empty',
      `The vault holds ${objects} ${objects === 1 ? 'object' : 'objects'}: delete what is in it first.`,
    )
  if (keys > 0)
    throw new Fault(
      'vault.not_empty',
      `The vault holds ${keys} ${keys === 1 ? 'key' : 'keys'}: delete them first. A deleted key counts as long as it can be taken back.`,
    )
}

function missing(): never {
  throw new Fault('vault.not_found')
}
