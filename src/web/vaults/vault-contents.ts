import type { Contents, Field, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { nameOrder } from '../words/name-order.ts'

/** An object of a vault with what its row shows. */
export interface Row {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
  /** It is shown by what lies in it. */
  readonly isFolder: boolean
  /** Objects may be put into it. */
  readonly isPlace: boolean
  /** What a filter looks through, in lower case. */
  readonly text: string
}

/** The objects of a vault, by what they lie in. */
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

/** Icons of templates that are made for others to lie in. */
const places: ReadonlySet<string> = new Set(['ico_folder', 'ico_certfolder'])

/** Whether others are put into objects of a template. Those that are edited directly take none, whatever is drawn. */
export const isPlaceBy = (template: StoredTemplate | undefined): boolean =>
  template !== undefined && template.info.ed !== true && places.has(template.info.ico)

function rowOf(object: StoredObject, template: StoredTemplate | undefined): Row {
  const isFolder = template?.info.ico === 'ico_folder' || object.children !== '0'
  const text = [object.objectname, ...Object.values(object.public)].join('\n').toLowerCase()
  return { object, template, isFolder, isPlace: isFolder || isPlaceBy(template), text }
}

/** What lies in a folder, and in what lies in it. */
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

/** From the root of the vault down to the object itself. */
export function pathTo({ byId }: Arranged, id: string): Row[] {
  const path: Row[] = []
  for (let row = byId.get(id); row !== undefined && !path.includes(row); row = byId.get(row.object.parentid))
    path.unshift(row)
  return path
}

const mostColumns = 3

/** The open fields that are columns where all rows are of one template; none where they are of several. */
export function columnsOf(rows: readonly Row[]): readonly Field[] {
  const things = rows.filter(({ isFolder }) => !isFolder)
  const template = things[0]?.template
  if (template === undefined || things.some((row) => row.template?.id !== template.id)) return []
  const fields = template.structure.filter(({ encrypted, show, type }) => !encrypted && show && type !== 'file')
  // One that says the name over again is none.
  const telling = fields.filter(({ fieldname }) =>
    things.some(
      ({ object }) => (object.public[fieldname] ?? '') !== '' && object.public[fieldname] !== object.objectname,
    ),
  )
  return telling.slice(0, mostColumns)
}

/** The first open values beside the name. */
export function summaryOf({ object, template, isFolder }: Row): string {
  if (isFolder) return object.public['info'] ?? ''
  const names = (template?.structure ?? []).filter(({ encrypted, type }) => !encrypted && type !== 'file')
  const values = names.map(({ fieldname }) => object.public[fieldname] ?? '')
  return values
    .filter((value) => value !== '' && value !== object.objectname)
    .slice(0, 2)
    .join(' · ')
}
