import { type AttachedFile, type Card, type Entry, isBlank } from './entry.ts'

/** What an entry, or a file that is attached to it, becomes: an object of a template that every appliance has, as `object.create` takes it. */
export interface PlannedObject {
  /** Tells it from every other of the file. */
  readonly key: string
  readonly entry: Entry
  readonly templateid: string
  readonly name: string
  /** Values of the template's fields, by their names. */
  readonly fields: Readonly<Record<string, string>>
  /** Of them, those that the appliance encrypts. */
  readonly secret: readonly string[]
  readonly file?: AttachedFile
}

/** Ids of the templates that are used. Each field that has to be filled in is. Of the two logins one has a place for all else. */
export const plannedTemplates = { folder: '2', file: '3', note: '8', card: '11', login: '20', fullLogin: '37' } as const

const longestName = 250
/** Where a template asks for what the entry has not. */
const nothing = '-'

/** An entry, unless it says nothing itself, and then each of its files. */
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
    return planned(entry, plannedTemplates.card, name, { ...fields, note1: '', note2: '' }, ['cardno', 'cvc'])
  }
  // No field of a card is for more, and none of a login for a card: a note keeps all of it.
  if (password === '' || card !== undefined) {
    const login = [line('Username', username), line('Password', password), line('URL', url), line('TOTP', totp)]
    const lines = [...linesOf(card), ...login, text].filter(Boolean).join('\n')
    return planned(entry, plannedTemplates.note, name, { name, note: lines }, ['note'])
  }
  const login = { name, url, username: username === '' ? nothing : username, password }
  if (text === '' && totp === '') return planned(entry, plannedTemplates.login, name, login, ['password'])
  const secret = ['password', 'totp', 'cryptedinfo']
  return planned(entry, plannedTemplates.fullLogin, name, { ...login, totp, cryptedinfo: text }, secret)
}

function planned(
  entry: Entry,
  templateid: string,
  name: string,
  fields: Readonly<Record<string, string>>,
  secret: readonly string[],
): PlannedObject {
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  return {
    key: String(entry.at),
    entry,
    templateid,
    name,
    fields: filled,
    secret: secret.filter((field) => field in filled),
  }
}

/** As names of objects are: without control characters, and not too long. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, longestName)

/** Names are one line; an entry without one is called by what else it says. */
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

/** What tells two things apart for a person: the name, who logs in, and where. */
const likeness = (name: string, username: string, url: string): string =>
  JSON.stringify([name, username, url].map(inOneCase))

/** As names are compared. */
export const inOneCase = (text: string): string => text.trim().toLowerCase()

/** What a list says of an object. */
interface PresentObject {
  readonly objectname: string
  readonly public: Readonly<Record<string, string>>
}

/**
 * Those plans of which the vault has an object already, or the file one before. Names of files are much the same everywhere: one is
 * a duplicate with its entry alone, and never with one that becomes no object.
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
