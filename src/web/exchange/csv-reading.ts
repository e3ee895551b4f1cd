import Papa from 'papaparse'
import { blankEntry, type Defective, type Entry, isBlank, mostEntries, type ReadFile, UnreadableFile } from './entry.ts'

/** The uses of a column. A `more` column is added to the notes under its heading. */
export const columnUses = ['name', 'username', 'password', 'url', 'totp', 'notes', 'folder', 'more', 'nothing'] as const
export type ColumnUse = (typeof columnUses)[number]

/** The rows of a CSV file. */
export interface Table {
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly defects: readonly Defective[]
}

/** Parses a CSV file. @throws UnreadableFile */
export function readTable(text: string): Table {
  const { data, errors } = Papa.parse<string[]>(text)
  const [headings, ...rows] = data
  if (headings === undefined || headings.length < 2) throw new UnreadableFile('form')
  if (rows.length > mostEntries) throw new UnreadableFile('count')
  const quotes = errors.filter(({ type }) => type === 'Quotes').map(({ row = 0 }) => rowNumber(row - 1))
  const defects: Defective[] = [...new Set(quotes)].map((at) => ({ at, why: 'quotes' }))
  return { headings, rows, defects }
}

/** The probable use of a heading, from the formats of common programs. */
const knownHeadings: readonly (readonly [ColumnUse, RegExp])[] = [
  ['password', /^(login_)?(password|pass|pwd|lösenord)$/i],
  ['username', /^(login_)?(user ?name|user|login( ?name)?|account|användarnamn)$/i],
  ['url', /^(login_)?(uri|url|website|web ?site|host|address|webbplats)$/i],
  ['totp', /^((login_)?t?otp|otp_?(auth|secret|url)|engångskod)$/i],
  ['name', /^(name|title|entry|namn|titel)$/i],
  ['notes', /^(notes?|comments?|extra|anteckning(ar)?)$/i],
  ['folder', /^(folder|group(ing)?|path|mapp)$/i],
  ['nothing', /^(favorite|reprompt|fav|type|icon|last modified|created|timestamp)$/i],
]

/**
 * Guesses the use of each column. Each use except `more` and `nothing` has one column; a second one goes to the notes.
 */
export function guessUses(headings: readonly string[]): ColumnUse[] {
  const taken = new Set<ColumnUse>()
  return headings.map((heading) => {
    const use = knownHeadings.find(([, pattern]) => pattern.test(heading.trim()))?.[0] ?? 'more'
    if (use === 'nothing' || use === 'more' || taken.has(use)) return use === 'nothing' ? 'nothing' : 'more'
    taken.add(use)
    return use
  })
}

/** The entries of the rows, for a use of the columns. */
export function entriesOf({ headings, rows, defects }: Table, uses: readonly ColumnUse[]): ReadFile {
  const bad = [...defects]
  const unusable = new Set(defects.map(({ at }) => at))
  const entries: Entry[] = []
  for (const [index, row] of rows.entries()) {
    const at = rowNumber(index)
    const isEmptyLine = row.length === 1 && row[0] === ''
    if (unusable.has(at) || isEmptyLine) continue
    if (row.length !== headings.length) {
      bad.push({ at, why: 'columns' })
      continue
    }
    const entry = entryOf(at, headings, row, uses)
    if (isBlank(entry)) bad.push({ at, why: 'empty' })
    else entries.push(entry)
  }
  return { entries, defects: bad.toSorted((one, other) => one.at - other.at) }
}

function entryOf(at: number, headings: readonly string[], row: readonly string[], uses: readonly ColumnUse[]): Entry {
  const of = (use: ColumnUse): string => row[uses.indexOf(use)] ?? ''
  const more = row.flatMap((value, column) =>
    uses[column] === 'more' && value !== '' ? [{ label: headings[column] ?? '', value }] : [],
  )
  const [name, username, password, url] = [of('name'), of('username'), of('password'), of('url')]
  const told = { name, username, password, url, totp: of('totp').trim(), notes: of('notes') }
  return { ...blankEntry, ...told, at, folders: foldersIn(of('folder')), more }
}

/** Splits a path: programs write `Work/Mail` or `Work\Mail`. */
export const foldersIn = (path: string): string[] =>
  path
    .split(/[/\\]/)
    .map((folder) => folder.trim())
    .filter(Boolean)

/** Number of a row as in a spreadsheet, where the headings are row 1. */
const rowNumber = (index: number): number => index + 2
