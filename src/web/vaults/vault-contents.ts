import type { Contents, Field, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { nameOrder } from '../words/name-order.ts'

/** An object of a vault, with the data of its row. */
export interface Row {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
  /** It is shown as a list of the objects inside it. */
  readonly isFolder: boolean
  /** Objects may be put into it. */
  readonly isPlace: boolean
  /** The text that a filter searches, in lower case. */
  readonly text: string
}

/** The objects of a vault, by id and by parent. */
export interface Arranged {
  readonly byId: ReadonlyMap<string, Row>
  readonly byParent: ReadonlyMap<string, readonly Row[]>
}

export const rootId = '0'

export function arrange({ OBJECTS, TEMPLATES }: Contents, locale: string): Arranged {
  const templates = new Map(TEMPLATES.map((template) => [template.id, template]))
  const compare = nameOrder(locale)
  const rows = OBJECTS.map((object) => rowOf(object, templates.get(object.templateid))).toSorted(
    (a, b) => Number(b.isFolder) - Number(a.isFolder) || compare(a.object.objectname, b.object.objectname),
  )
  const byParent = new Map<string, Row[]>()
  for (const row of rows) {
    const beside = byParent.get(row.object.parentid)
    if (beside) beside.push(row)
    else byParent.set(row.object.parentid, [row])
  }
  return { byId: new Map(rows.map((row) => [row.object.id, row])), byParent }
}

/** Icons of templates whose objects contain others. */
const places: ReadonlySet<string> = new Set(['ico_folder', 'ico_certfolder'])

/**
 * Whether objects of a template contain others. Objects that are edited directly (`ed`) contain none, whatever their
 * icon.
 */
export const isPlaceBy = (template: StoredTemplate | undefined): boolean =>
  template !== undefined && template.info.ed !== true && places.has(template.info.ico)

function rowOf(object: StoredObject, template: StoredTemplate | undefined): Row {
  const isFolder = template?.info.ico === 'ico_folder' || object.children !== '0'
  const text = [object.objectname, ...Object.values(object.public)].join('\n').toLowerCase()
  return { object, template, isFolder, isPlace: isFolder || isPlaceBy(template), text }
}

/** All objects inside a folder, at any depth. */
export function allBelow({ byParent }: Arranged, id: string): Row[] {
  const found: Row[] = []
  const open = [id]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const row of byParent.get(next) ?? []) {
      found.push(row)
      if (row.isFolder) open.push(row.object.id)
    }
  return found
}

/** The objects from the root of the vault down to this one, which is the last. */
export function pathTo({ byId }: Arranged, id: string): Row[] {
  const path: Row[] = []
  for (let row = byId.get(id); row !== undefined && !path.includes(row); row = byId.get(row.object.parentid))
    path.unshift(row)
  return path
}

const mostColumns = 3

/** The open fields that become columns. None where the rows have several templates. */
export function columnsOf(rows: readonly Row[]): readonly Field[] {
  const things = rows.filter(({ isFolder }) => !isFolder)
  const template = things[0]?.template
  if (template === undefined || things.some((row) => row.template?.id !== template.id)) return []
  const fields = template.structure.filter(({ encrypted, show, type }) => !encrypted && show && type !== 'file')
  // Leaves out a field that only repeats the name.
  const telling = fields.filter(({ fieldname }) =>
    things.some(
      ({ object }) => (object.public[fieldname] ?? '') !== '' && object.public[fieldname] !== object.objectname,
    ),
  )
  return telling.slice(0, mostColumns)
}

/** The first two open values that differ from the name. */
export function summaryOf({ object, template, isFolder }: Row): string {
  if (isFolder) return object.public['info'] ?? ''
  const names = (template?.structure ?? []).filter(({ encrypted, type }) => !encrypted && type !== 'file')
  const values = names.map(({ fieldname }) => object.public[fieldname] ?? '')
  return values
    .filter((value) => value !== '' && value !== object.objectname)
    .slice(0, 2)
    .join(' · ')
}
