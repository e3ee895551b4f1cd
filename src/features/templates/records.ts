import { EntitySchema, IsNull } from 'typeorm'
import { encodeRecord } from '../../hsm/key-record.ts'
import { bytes, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A template of the site. Its row is kept when it is removed, so that its id is never used for another template. */
export interface SiteTemplateRow {
  readonly id: number
  /** The template as `/template` writes it, in JSON. */
  readonly document: string
  readonly seal: Buffer
  readonly createdAt: number
  readonly removedAt: number | null
}

export const SiteTemplateTable = new EntitySchema<SiteTemplateRow>({
  name: 'SiteTemplate',
  tableName: 'templates',
  columns: {
    id: primary(integer),
    document: text,
    seal: bytes,
    createdAt: named('created_at', time),
    removedAt: named('removed_at', nullable(time)),
  },
})

/**
 * The record that the seal covers, so that write access to the database is not enough to turn off the encryption of a
 * field.
 */
export function templateSealRecord({ id, document, removedAt }: Omit<SiteTemplateRow, 'seal' | 'createdAt'>): Buffer {
  return encodeRecord(['template', id, document, removedAt])
}

/** Ids and seals of all templates, by id: enough to see whether anything has changed. */
export function listTemplateSeals(reader: Reader): Promise<{ id: number; seal: string }[]> {
  return select(reader, 'SELECT id, seal FROM templates ORDER BY id', [])
}

export function listSiteTemplates(reader: Reader): Promise<SiteTemplateRow[]> {
  return reader.find(SiteTemplateTable, { order: { id: 'ASC' } })
}

export function findSiteTemplate(reader: Reader, id: number): Promise<SiteTemplateRow | null> {
  return reader.findOneBy(SiteTemplateTable, { id })
}

export async function insertSiteTemplate(tx: Tx, row: SiteTemplateRow): Promise<void> {
  await tx.insert(SiteTemplateTable, row)
}

/** False where a parallel transaction has changed the row since it was read. */
export async function changeSiteTemplate(
  tx: Tx,
  read: SiteTemplateRow,
  change: Pick<SiteTemplateRow, 'document' | 'seal' | 'removedAt'>,
): Promise<boolean> {
  const { id, seal } = read
  return (await tx.update(SiteTemplateTable, { id, seal, removedAt: IsNull() }, change)).affected === 1
}

/** Whether any object uses the template, including objects in the trash. */
export async function isTemplateInUse(reader: Reader, id: number): Promise<boolean> {
  return (await select(reader, 'SELECT 1 FROM vault_objects WHERE template_id = $1 LIMIT 1', [id])).length > 0
}
