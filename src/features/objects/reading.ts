import type { VaultAccess } from '../../access/caller.ts'
import { base64Bytes } from '../../encoding/base64.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Reader, Store } from '../../store/store.ts'
import { earlierSecretsOf, type FoundVersion } from './earlier-version-records.ts'
import { pastValuesAt, pastValuesOf, type PastValues } from './earlier-versions.ts'
import type { FieldCipher } from './field-cipher.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { FileManifest, FileStore } from './file-store.ts'
import { needlesOf } from './content.ts'
import { childrenOf, objectsOfVault, type ListedObject } from './listed-object-records.ts'
import type { AdmitLongList, Listed } from './bounded-list.ts'
import {
  ancestorsOf,
  findKeyedVault,
  readObject,
  type Ancestor,
  type GrantedObject,
  type GrantedVault,
  type ObjectInVault,
  type StoredObject,
} from './read-records.ts'
import { searchObjects } from './search-records.ts'
import { Fault, isFault } from '../../fault.ts'
import { findObject, manifestField, secretsOf } from './records.ts'

/** Reads objects. The route has checked that the caller may read in the vault. */
export interface ObjectReading {
  /** The data that encryption in a vault needs. @throws Fault `vault.not_found` */
  vault(access: VaultAccess): Promise<GrantedVault>
  /** Every object of a vault, in the order of their ids. */
  ofVault(vaultId: number, admitLongList: AdmitLongList): Promise<ListedObject[]>
  /** The children of an object. */
  children(object: StoredObject, admitLongList: AdmitLongList): Promise<ListedObject[]>
  /** The parents of an object, from the root of its vault downwards. */
  ancestors(object: StoredObject): Promise<Ancestor[]>
  /**
   * Objects whose name or unencrypted fields contain the text, in any case, in all vaults of a user: at most `most`, no
   * matter which, in the order of their ids.
   */
  search(userId: number, text: string, most: number, admitLongList: AdmitLongList): Promise<ListedObject[]>
  /** The decrypted secrets: all encrypted fields that have a value. @throws Fault `object.tampered` */
  secrets(found: GrantedObject): Promise<Readonly<Record<string, string>>>
  /** The earlier versions of an object, newest first. */
  history(found: ObjectInVault, admitLongList: AdmitLongList): Promise<Listed<FoundVersion>[]>
  /** @throws Fault `object.not_found` where no such version is kept */
  earlier(found: ObjectInVault, version: number | undefined): Promise<PastValues>
  /** The decrypted secrets of an earlier version. @throws Fault `object.tampered` */
  earlierSecrets(found: GrantedObject, version: number): Promise<Readonly<Record<string, string>>>
  /**
   * The object's file as pieces of base64, for this user. The whole file is in memory: call `release` when the answer
   * has left, to give the bytes back to the budget.
   * @throws Fault `object.no_file`, `object.tampered`, `object.busy`
   */
  file(
    found: GrantedObject,
    userId: number,
  ): Promise<{ readonly pieces: readonly Buffer[]; readonly release: () => void }>
}

export interface ObjectReadingDependencies {
  readonly store: Store
  readonly fieldCipher: FieldCipher
  readonly files: Pick<FileStore, 'read'>
  /** For files in answers that have not left yet. */
  readonly memory: MemoryBudget
}

export function createObjectReading({ store, fieldCipher, files, memory }: ObjectReadingDependencies): ObjectReading {
  async function decrypt(found: GrantedObject, isWanted: (field: string) => boolean) {
    let { object } = found
    return retryOvertaken(async () => {
      const secrets = await secretsOf(store.read, object.id)
      const wanted = secrets.filter(({ field }) => isWanted(field))
      try {
        return await fieldCipher.decrypt(found.vault, object, wanted)
      } catch (error) {
        object = await changedObject(store.read, object, error)
        throw new Fault('store.conflict', undefined, { cause: error })
      }
    })
  }

  return {
    async vault({ id, grant }) {
      const vault = await findKeyedVault(store.read, id)
      if (vault === undefined) throw new Fault('vault.not_found')
      return { grant, ...vault }
    },
    ofVault: (vaultId, admitLongList) => objectsOfVault(store.read, vaultId, admitLongList),
    children: (object, admitLongList) => childrenOf(store.read, object, admitLongList),
    ancestors: (object) => ancestorsOf(store.read, object),
    search: (userId, text, most, admitLongList) =>
      searchObjects(store.read, { userId, needles: needlesOf(text), most }, admitLongList),
    history: (found, admitLongList) => pastValuesOf(store.read, found, admitLongList),
    earlier: (found, version) => pastValuesAt(store.read, found, version),

    async earlierSecrets({ object, vault }, version) {
      return fieldCipher.decryptEarlier(vault, object, await earlierSecretsOf(store.read, object.id, version))
    },

    secrets: (found) => decrypt(found, (field) => field !== manifestField),

    async file(found, userId) {
      const { [manifestField]: json } = await decrypt(found, (field) => field === manifestField)
      if (json === undefined) throw new Fault('object.no_file')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the appliance can have encrypted it
      const manifest = JSON.parse(json) as FileManifest
      const release = await memory.acquire(userId, manifest.size)
      try {
        const pieces: Buffer[] = []
        for await (const piece of files.read(found.vault, manifest)) pieces.push(base64Bytes(piece))
        return { pieces, release }
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/**
 * The present row of an object whose secrets were not those of the row that was read: another call has moved it in
 * between.
 * @throws the error itself where the row has not changed; Fault `object.not_found`
 */
async function changedObject(reader: Reader, before: StoredObject, error: unknown): Promise<StoredObject> {
  const row = isFault(error, 'object.tampered') ? await findObject(reader, before.id) : undefined
  if (row === undefined || row?.version === before.version) throw error
  if (row === null || row.deletedAt !== null || row.vaultId !== before.vaultId) throw new Fault('object.not_found')
  return readObject(row)
}
