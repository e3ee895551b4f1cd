import { type AttachedFile, type Card, type Entry, isBlank } from './entry.ts'

/**
 * The object that an entry, or a file attached to it, becomes, in the form that `object.create` takes. Its template is
 * built-in, so that every appliance has it.
 */
export interface PlannedObject {
  /** Unique within the file. */
  readonly key: string
  readonly entry: Entry
  readonly templateid: string
  readonly name: string
  /** Values of the template's fields, by name. */
  readonly fields: Readonly<Record<string, string>>
  /** Names of those fields that the appliance encrypts. */
  readonly secret: readonly string[]
  readonly file?: AttachedFile
}

/**
 * Ids of the built-in templates that are used. All their required fields are filled in. `fullLogin` also has fields for
 * notes and codes.
 */
export const plannedTemplates = { folder: '2', file: '3', note: '8', card: '11', login: '20', fullLogin: '37' } as const

const longestName = 250
/** Value of a required field for which the entry has none. */
const nothing = '-'

/** The objects for an entry: one for the entry, unless it is blank, and one for each of its files. */
export const planObjects = (entry: Entry): readonly PlannedObject[] => [
  ...(isBlank(entry) ? [] : [planObject(entry)]),
  ...(entry.files ?? []).map((file, index) => planFile(entry, file, index + 1)),
]

function planFile(entry: Entry, file: AttachedFile, number: number): PlannedObject {
  const name = oneLine(file.name) || nothing
  return { key: `${entry.at}/${number}`, entry, templateid: plannedTemplates.file, name, fields: {}, secret: [], file }
}

export function planObject(entry: Entry): PlannedObject {
  const name = nameOf(entry)
  const text = notesOf(entry)
  const { card, username, password, url, totp } = entry
  const isPureCard = [text, username, password, url, totp].every((value) => value === '')
  if (card !== undefined && isPureCard) {
    const fields = { service: name, cardno: card.number, expires: card.expires, cvc: card.code, owner: card.owner }
    return planned(entry, plannedTemplates.card, { ...fields, note1: '', note2: '' }, ['cardno', 'cvc'])
  }
  // Cards have no field for more, and logins none for a card. So a note holds everything.
  if (password === '' || card !== undefined) {
    const login = [line('Username', username), line('Password', password), line('URL', url), line('TOTP', totp)]
    const lines = [...linesOf(card), ...login, text].filter(Boolean).join('\n')
    return planned(entry, plannedTemplates.note, { name, note: lines }, ['note'])
  }
  const login = { name, url, username: username === '' ? nothing : username, password }
  if (text === '' && totp === '') return planned(entry, plannedTemplates.login, login, ['password'])
  const secret = ['password', 'totp', 'cryptedinfo']
  return planned(entry, plannedTemplates.fullLogin, { ...login, totp, cryptedinfo: text }, secret)
}

function planned(
  entry: Entry,
  templateid: string,
  fields: Readonly<Record<string, string>>,
  secret: readonly string[],
): PlannedObject {
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  return {
    key: String(entry.at),
    entry,
    templateid,
    name: nameOf(entry),
    fields: filled,
    secret: secret.filter((field) => field in filled),
  }
}

/** Makes a text fit for a name: without control characters, trimmed, and cut off at the limit. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, longestName)

/** The name of the object. An entry without a name gets its URL or username. */
function nameOf({ name, url, username }: Entry): string {
  return [name, url, username].map(oneLine).find((text) => text !== '') ?? nothing
}

const line = (label: string, value: string): string => (value === '' ? '' : `${label}: ${value}`)

const linesOf = (card: Card | undefined): readonly string[] =>
  card === undefined
    ? []
    : [line('Card', card.number), line('Expires', card.expires), line('Code', card.code), line('Owner', card.owner)]

const notesOf = ({ notes, more }: Entry): string =>
  [notes, ...more.map(({ label, value }) => line(label, value))].filter((text) => text.trim() !== '').join('\n')

/** Key for finding duplicates: name, username and URL. */
const likeness = (name: string, username: string, url: string): string =>
  JSON.stringify([name, username, url].map(inOneCase))

/** Normalizes a text for comparisons of names. */
export const inOneCase = (text: string): string => text.trim().toLowerCase()

/** The data of an existing object that are compared. */
interface PresentObject {
  readonly objectname: string
  readonly public: Readonly<Record<string, string>>
}

/**
 * The planned objects that the vault already contains, or that occur earlier in the file. File names repeat often, so a
 * file counts as a duplicate only together with its entry.
 */
export function duplicatesAmong(
  plans: readonly PlannedObject[],
  objects: readonly PresentObject[],
): Set<PlannedObject> {
  const seen = new Set(
    objects.map(({ objectname, public: open }) =>
      likeness(objectname, open['username'] ?? '', open['url'] ?? open['host'] ?? ''),
    ),
  )
  const found = new Set<PlannedObject>()
  const freshEntries = new Set<Entry>()
  for (const plan of plans) {
    const { fields } = plan
    const like = likeness(plan.name, fields['username'] ?? '', fields['url'] ?? '')
    if (seen.has(like) && !freshEntries.has(plan.entry) && !isBlank(plan.entry)) found.add(plan)
    else if (plan.file === undefined) freshEntries.add(plan.entry)
    seen.add(like)
  }
  return found
}
