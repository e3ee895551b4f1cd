import { Fault } from '../../fault.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { earlierVersionsOf, insertEarlier, trimEarlier, type ListedVersion } from './earlier-version-records.ts'
import type { FieldCipher } from './field-cipher.ts'
import type { GrantedVault, KeyedVault } from './read-records.ts'
import { manifestField, secretsOf, type SecretField, type VaultObject } from './records.ts'

/** An earlier version as it is read. */
export interface PastValues extends Omit<ListedVersion, 'publicFields'> {
  readonly fields: Readonly<Record<string, string>>
}

/** Encryptions that keeping what an object is now takes. They are counted before the object is held, as vaults come first. */
export async function countKept(tx: Tx, { history }: KeyedVault, objectId: number): Promise<number> {
  return history === 0 ? 0 : (await keptSecrets(tx, objectId)).length
}

/**
 * Writes down what an object was, in the transaction that replaces it. `row` is held, and of the version that is to come.
 * @throws Fault `store.conflict` where it has more secrets than were counted
 */
export async function keepVersion(
  fieldCipher: Pick<FieldCipher, 'keepEarlier'>,
  tx: Tx,
  vault: GrantedVault,
  row: VaultObject,
  counted: number,
): Promise<void> {
  if (vault.history > 0) {
    const secrets = await keptSecrets(tx, row.id)
    if (secrets.length > counted) throw new Fault('store.conflict')
    const { id: objectId, name, publicFields, changedAt: replacedAt, changedBy: replacedBy } = row
    const version = row.version - 1
    const kept = secrets.length === 0 ? [] : await fieldCipher.keepEarlier(vault, row, version, secrets)
    await insertEarlier(tx, { objectId, version, name, publicFields, replacedAt, replacedBy }, kept)
  }
  await trimEarlier(tx, row.id, vault.history)
}

/** Of a file its name is kept, and not its content. */
async function keptSecrets(reader: Reader, objectId: number): Promise<SecretField[]> {
  return (await secretsOf(reader, objectId)).filter(({ field }) => field !== manifestField)
}

export async function pastValuesOf(reader: Reader, objectId: number): Promise<PastValues[]> {
  return (await earlierVersionsOf(reader, objectId)).map(({ publicFields, ...version }) => ({
    ...version,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
    fields: JSON.parse(publicFields) as Record<string, string>,
  }))
}

export const unkeptVersion = (version: number): Fault =>
  new Fault('object.not_found', `The object keeps no version ${version}: its history names those that it keeps.`)
