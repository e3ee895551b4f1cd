import { grantOf, type SealedGrant } from '../../access/acting.ts'
import { permissionBits, type Permission } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import type { Commit, Reader, Store, Tx } from '../../store/store.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { insertPending } from '../destruction/records.ts'
import { recordTombstone } from '../destruction/tombstone.ts'
import { lockedUser, type User } from '../users/records.ts'
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
  /** A vault with a data key of its own in the token, and its creator as the only member, with Admin. */
  create(vault: VaultFields, creatorId: number, commit: Commit): Promise<SharedVault>
  /** The vaults that are shared with a user, in the order of their ids. */
  listFor(userId: number): Promise<SharedVault[]>
  /** @throws Fault `vault.not_found` */
  read(vaultId: number): Promise<Vault>
  /** Changes what is given. @throws Fault `vault.not_found` */
  edit(vaultId: number, changes: Partial<VaultFields>, commit: Commit): Promise<Vault>
  /**
   * Deletes an empty vault, and then its data key: nothing that this has encrypted can ever be read again. Of what is in its
   * trash most goes before, where it is much; `announce` is told of each group of objects that is to go.
   * @throws Fault `vault.not_found`, `vault.not_empty`, and what `announce` throws
   */
  remove(vaultId: number, commit: Commit, announce: AnnounceGroup): Promise<void>
  /** How the keys of a vault may be made and used. */
  settings(vaultId: number): Promise<VaultSettings>
  changeSettings(vaultId: number, changes: VaultChanges, commit: Commit): Promise<VaultSettings>
}

export interface VaultSettings {
  /** Whether the first use of a name makes a transparent key. */
  readonly createsKeysOnUse: boolean
  /** What signing needs. */
  readonly signingPermission: Permission
  /** Whether calls with unknown members are refused. Then no key is made on first use either. */
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

/** What a vault that is about to go holds besides keys. */
export interface ObjectsOfVault {
  /** How many there are that are not deleted. */
  readonly count: (reader: Reader, vaultId: number) => Promise<number>
  /** Destroys most of what was deleted, in groups. */
  readonly thin: (vaultId: number, announce: AnnounceGroup) => Promise<void>
  /** Destroys what was deleted; resolves to how many objects are left. */
  readonly clear: (tx: Tx, vaultId: number) => Promise<number>
}

/** Told how many objects are destroyed next; where it rejects, they are not. */
export type AnnounceGroup = (objects: number) => Promise<void>

export function createVaults(on: VaultDependencies): Vaults {
  const { store, hsm, vaultKeys, clock } = on

  async function read(vaultId: number): Promise<Vault> {
    return (await findVault(store.read, vaultId)) ?? missing()
  }

  return {
    async create(vault, creatorId, commit) {
      // The key first: a vault without a key must never exist, a key without a vault is only waste (`doctor` finds it).
      const made = await vaultKeys.create()
      const { provenance: _, ...key } = made
      let grant: SealedGrant | undefined
      try {
        return await commit(async (tx) => {
          grant = await grantOf(tx)
          const creator = await lockedUser(tx, creatorId)
          const sealed = await sealNewVault(hsm, tx, creator.identity)
          const keySeal = await vaultKeys.seal(tx, sealed, made)
          const uses = { keyLayout: vaultKeyLayout, keySeal, keyUses: 0, createdAt: clock.now() }
          const row = await insertVault(tx, { ...vault, ...defaultRules, ...key, ...sealed, ...uses })
          await addCreator(hsm, tx, row, creator)
          const { id, name, policyId, description, history } = row
          return { id, name, policyId, description, history, permission: 'Admin' as const, scope: null }
        })
      } catch (error) {
        await vaultKeys.discard(made, grant)
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
  // Before anything is destroyed; the transaction decides.
  checkEmpty(await countContents(store.read, vaultId), await objects.count(store.read, vaultId))
  await objects.thin(vaultId, announce)
  await commit(async (tx) => {
    // First of all: a call that puts something in begins with the vault too, so that neither waits for the other in a
    // circle.
    await lockVault(tx, vaultId)
    const vault = (await findVault(tx, vaultId)) ?? missing()
    checkEmpty(await countContents(tx, vaultId), await objects.clear(tx, vaultId))
    const mark = await recordTombstone(hsm, tx, sealedVault(vault))
    await removeEveryMember(tx, vaultId)
    await deleteVault(tx, vaultId)
    const object = { objectId: vault.keyId, key: sealedVaultKey(vault), mark }
    if (vault.keyKek === vaultKek) await insertPending(tx, object, clock.now())
  })
  // The vault is gone, whatever the token says now: what is left there is destroyed later.
  await destruction.destroyPending().catch(() => [])
}

/** Whoever makes a vault is its first member, with Admin. */
async function addCreator(hsm: Sealer, tx: Tx, vault: Vault, creator: User): Promise<void> {
  const first = { permission: permissionBits.Admin, grants: null, recoveries: creator.recoveries, generation: 1 }
  const state = await sealMembership(hsm, tx, { vault, user: creator }, first, sealedVault(vault))
  const grant = { permission: 'Admin', grants: null, by: creator.id, at: vault.createdAt } as const
  await addMember(tx, { vaultId: vault.id, userId: creator.id }, grant, state)
}

function checkEmpty({ keys }: { readonly keys: number }, objects: number): void {
  if (objects > 0)
    throw new Fault('vault.not_empty', `The vault holds ${objects} ${objects === 1 ? 'object' : 'objects'}.`)
  if (keys > 0)
    throw new Fault(
      'vault.not_empty',
      `The vault holds ${keys} ${keys === 1 ? 'key' : 'keys'}; a deleted key counts as long as it can be taken back.`,
    )
}

function missing(): never {
  throw new Fault('vault.not_found')
}
