import { Fault } from '../../fault.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { AdmitLongList, Listed } from './bounded-list.ts'
import {
  earlierVersionOf,
  earlierVersionsOf,
  insertEarlier,
  type FoundVersion,
  type ListedVersion,
} from './earlier-version-records.ts'
import type { Template } from '../templates/template.ts'
import type { FieldCipher } from './field-cipher.ts'
import type { GrantedVault, KeyedVault, ObjectInVault } from './read-records.ts'
import { countSecrets, manifestField, secretsOf, type VaultObject } from './records.ts'

/** The values of an earlier version. */
export interface PastValues extends Omit<ListedVersion, 'publicFields'> {
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Counts the encryptions that keeping an earlier version may take, an upper bound. Counted before the object is locked,
 * because vaults are locked before objects; a parallel edit may still add a secret.
 */
export async function countKept(
  tx: Tx,
  { history }: KeyedVault,
  objectId: number,
  { fields }: Pick<Template, 'fields'>,
): Promise<number> {
  if (history === 0) return 0
  const secrets = fields.filter(({ encrypted, type }) => encrypted && type !== 'file')
  return Math.max(secrets.length, await countSecrets(tx, objectId))
}

/**
 * Stores the present state of an object as an earlier version, in the transaction that replaces it. `row` is locked and
 * already has the next version number.
 * @throws Fault `store.conflict` where it has more secrets than were counted
 */
export async function keepVersion(
  fieldCipher: Pick<FieldCipher, 'keepEarlier'>,
  tx: Tx,
  vault: GrantedVault,
  row: VaultObject,
  counted: number,
): Promise<void> {
  if (vault.history === 0) return
  // Of a file, only the name is kept.
  const secrets = (await secretsOf(tx, row.id)).filter(({ field }) => field !== manifestField)
  if (secrets.length > counted) throw new Fault('store.conflict')
  const { id: objectId, name, publicFields, changedAt: replacedAt, changedBy: replacedBy } = row
  const version = row.version - 1
  const kept = secrets.length === 0 ? [] : await fieldCipher.keepEarlier(vault, row, version, secrets)
  await insertEarlier(tx, { objectId, version, name, publicFields, replacedAt, replacedBy }, kept)
}

/** The earlier versions, newest first: at most as many as the vault keeps now. */
export function pastValuesOf(
  reader: Reader,
  found: ObjectInVault,
  admitLongList: AdmitLongList,
): Promise<Listed<FoundVersion>[]> {
  return earlierVersionsOf(reader, historyOf(found), admitLongList)
}

/**
 * @throws Fault `object.not_found` where no such version is kept. `version` is undefined for anything that is not a
 * number
 */
export async function pastValuesAt(
  reader: Reader,
  found: ObjectInVault,
  version: number | undefined,
): Promise<PastValues> {
  const row = version === undefined ? undefined : await earlierVersionOf(reader, historyOf(found), version)
  if (row === undefined)
    throw new Fault('object.not_found', 'The object keeps no such version: its history names those that it keeps.')
  return readVersion(row)
}

const historyOf = ({ object, vault }: ObjectInVault) => ({
  objectId: object.id,
  vaultId: vault.id,
  most: vault.history,
})

const readVersion = ({ publicFields, ...version }: ListedVersion): PastValues => ({
  ...version,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
  fields: JSON.parse(publicFields) as Record<string, string>,
})
