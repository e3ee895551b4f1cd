import type { Card, Entry } from './entry.ts'

/** What an entry becomes: an object of a template that every appliance has, as `object.create` takes it. */
export interface PlannedObject {
  readonly entry: Entry
  readonly templateid: string
  readonly name: string
  /** Values of the template's fields, by their names. */
  readonly fields: Readonly<Record<string, string>>
  /** Of them, those that the appliance encrypts. */
  readonly secret: readonly string[]
}

/** Ids of the templates that are used. Each field that has to be filled in is. */
export const plannedTemplates = { server: '1', folder: '2', note: '8', card: '11', login: '20' } as const

const longestName = 250
/** Where a template asks for what the entry has not. */
const nothing = '-'

export function planObject(entry: Entry): PlannedObject {
  const name = nameOf(entry)
  const text = notesOf(entry)
  const { card, username, password, url } = entry
  const isPureCard = [text, username, password, url].every((value) => value === '')
  if (card !== undefined && isPureCard) {
    const fields = { service: name, cardno: card.number, expires: card.expires, cvc: card.code, owner: card.owner }
    return planned(entry, plannedTemplates.card, name, { ...fields, note1: '', note2: '' }, ['cardno', 'cvc'])
  }
  // No field of a card is for more, and none of a login for a card: a note keeps all of it.
  if (password === '' || card !== undefined) {
    const login = [line('Username', username), line('Password', password), line('URL', url)]
    const lines = [...linesOf(card), ...login, text].filter(Boolean).join('\n')
    return planned(entry, plannedTemplates.note, name, { name, note: lines }, ['note'])
  }
  const who = username === '' ? nothing : username
  if (text === '')
    return planned(entry, plannedTemplates.login, name, { name, url, username: who, password }, ['password'])
  const server = { host: url === '' ? name : url, username: who, password, info: '', cryptedinfo: text }
  return planned(entry, plannedTemplates.server, name, server, ['password', 'cryptedinfo'])
}

function planned(
  entry: Entry,
  templateid: string,
  name: string,
  fields: Readonly<Record<string, string>>,
  secret: readonly string[],
): PlannedObject {
  const filled = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  return { entry, templateid, name, fields: filled, secret: secret.filter((field) => field in filled) }
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
  JSON.stringify([name, username, url].map((text) => text.trim().toLowerCase()))

/** What a list says of an object. */
interface PresentObject {
  readonly objectname: string
  readonly public: Readonly<Record<string, string>>
}

/** Those plans of which the vault has an object already, or the file one before. */
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
  for (const plan of plans) {
    const { fields } = plan
    const like = likeness(plan.name, fields['username'] ?? '', fields['url'] ?? fields['host'] ?? '')
    if (seen.has(like)) found.add(plan)
    seen.add(like)
  }
  return found
}
