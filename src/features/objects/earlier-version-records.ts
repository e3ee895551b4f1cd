import { EntitySchema, In } from 'typeorm'
import { bytes, integer, named, primary, text, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { fieldColumns, readFound, withFields, type AdmitLongList, type Found, type Listed } from './bounded-list.ts'
import type { Row } from './read-records.ts'
import type { SecretField } from './records.ts'

/** The state of an object before an edit. */
export interface EarlierVersion {
  readonly objectId: number
  /** The version of the object that had this state. */
  readonly version: number
  readonly name: string
  /** The unencrypted fields: a JSON object of texts. */
  readonly publicFields: string
  readonly replacedAt: number
  /** The user whose edit replaced it. */
  readonly replacedBy: number
}

export const EarlierVersionTable = new EntitySchema<EarlierVersion>({
  name: 'EarlierVersion',
  tableName: 'earlier_versions',
  columns: {
    objectId: named('object_id', primary(integer)),
    version: primary(integer),
    name: text,
    publicFields: named('public_fields', text),
    replacedAt: named('replaced_at', time),
    replacedBy: named('replaced_by', integer),
  },
})

/** The encrypted fields of earlier versions. */
export const EarlierSecretTable = new EntitySchema<SecretField>({
  name: 'EarlierSecret',
  tableName: 'earlier_secrets',
  columns: {
    objectId: named('object_id', primary(integer)),
    version: primary(integer),
    field: primary(text),
    ciphertext: named('sealed_text', bytes),
  },
})

export async function insertEarlier(tx: Tx, version: EarlierVersion, secrets: readonly SecretField[]): Promise<void> {
  await tx.insert(EarlierVersionTable, version)
  if (secrets.length > 0) await tx.insert(EarlierSecretTable, [...secrets])
}

/** Deletes all but the newest `most` earlier versions of an object. */
export async function trimEarlier(tx: Tx, objectId: number, most: number): Promise<void> {
  const kept = await tx.find(EarlierVersionTable, {
    where: { objectId },
    order: { version: 'DESC' },
    select: { version: true },
  })
  if (kept.length <= most) return
  const versions = In(kept.slice(most).map(({ version }) => version))
  await tx.delete(EarlierSecretTable, { objectId, version: versions })
  await tx.delete(EarlierVersionTable, { objectId, version: versions })
}

/** Deletes all earlier versions of these objects. */
export async function removeEarlier(tx: Tx, objectIds: readonly number[]): Promise<void> {
  const objectId = In([...objectIds])
  await tx.delete(EarlierSecretTable, { objectId })
  await tx.delete(EarlierVersionTable, { objectId })
}

/** An earlier version, with the name of the user who replaced it. */
export interface ListedVersion extends Omit<EarlierVersion, 'replacedBy'> {
  /** Empty where the user does not exist any more. */
  readonly replacedBy: string
}

/** Selects the history of an object: at most as many versions as its vault keeps now. */
export interface HistoryOf {
  readonly objectId: number
  readonly vaultId: number
  readonly most: number
}

/** An earlier version as a list finds it. */
export type FoundVersion = Omit<ListedVersion, 'publicFields'> & Found

/** The newest first. */
export async function earlierVersionsOf(
  reader: Reader,
  { objectId, vaultId, most }: HistoryOf,
  admitLongList: AdmitLongList,
): Promise<Listed<FoundVersion>[]> {
  const rows = await select<Omit<ListedVersion, 'publicFields'> & Row>(
    reader,
    `SELECT ${told}, ${fieldColumns('e', '')} ${kept} ORDER BY e.version DESC LIMIT $3`,
    [objectId, vaultId, most],
  )
  const found = rows.map(({ publicFields, fieldBytes, ...version }) => ({
    ...version,
    ...readFound({ publicFields, fieldBytes }, ''),
  }))
  const readTexts = async (some: readonly FoundVersion[]) => {
    const texts = new Map<FoundVersion, string>()
    const version = In(some.map((one) => one.version))
    for (const row of await reader.findBy(EarlierVersionTable, { objectId, version })) {
      const one = some.find((other) => other.version === row.version)
      if (one !== undefined) texts.set(one, row.publicFields)
    }
    return texts
  }
  return withFields(found, readTexts, admitLongList)
}

export async function earlierVersionOf(
  reader: Reader,
  { objectId, vaultId, most }: HistoryOf,
  version: number,
): Promise<ListedVersion | undefined> {
  const [found] = await select<ListedVersion>(reader, oneVersion, [objectId, vaultId, most, version])
  return found
}

const told = `e.object_id AS "objectId", e.version, e.name, e.replaced_at AS "replacedAt",
    coalesce(u.username, '') AS "replacedBy"`
const kept = `FROM earlier_versions e JOIN vault_objects o ON o.id = e.object_id AND o.vault_id = $2
  LEFT JOIN users u ON u.id = e.replaced_by
  WHERE e.object_id = $1`
const oneVersion = `SELECT ${told}, e.public_fields AS "publicFields" ${kept} AND e.version = $4
  AND (SELECT count(*) FROM earlier_versions n WHERE n.object_id = $1 AND n.version > $4) < $3`

export function earlierSecretsOf(reader: Reader, objectId: number, version: number): Promise<SecretField[]> {
  return reader.find(EarlierSecretTable, { where: { objectId, version }, order: { field: 'ASC' } })
}
