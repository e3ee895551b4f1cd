import {
  blankEntry,
  type Card,
  type Defective,
  type Entry,
  isBlank,
  mostEntries,
  type ReadFile,
  UnreadableFile,
} from './entry.ts'
import { foldersIn } from './csv-reading.ts'

export type Json = Readonly<Record<string, unknown>>

/** Whether a text is an unencrypted or a pass-phrase-protected Bitwarden export; undefined for another file. */
export function isBitwarden(text: string): 'open' | 'protected' | undefined {
  const json = jsonIn(text)
  if (json === undefined) return undefined
  if (json['passwordProtected'] === true && json['encrypted'] === true) return 'protected'
  return Array.isArray(json['items']) ? 'open' : undefined
}

/** Reads an unencrypted Bitwarden export. @throws UnreadableFile */
export function readBitwarden(text: string): ReadFile {
  const json = jsonIn(text)
  const items = json?.['items']
  if (json === undefined || !Array.isArray(items)) throw new UnreadableFile('form')
  if (json['encrypted'] === true) throw new UnreadableFile('account')
  if (items.length > mostEntries) throw new UnreadableFile('count')
  const folders = new Map(
    [...listIn(json, 'folders'), ...listIn(json, 'collections')].map((one) => [textIn(one, 'id'), textIn(one, 'name')]),
  )
  const entries: Entry[] = []
  const defects: Defective[] = []
  let leftPasswords = 0
  for (const [index, item] of items.entries()) {
    const at = index + 1
    if (!isJson(item)) defects.push({ at, why: 'form' })
    else {
      const entry = entryOf(at, item, folders)
      if (isBlank(entry)) defects.push({ at, why: 'empty' })
      else entries.push(entry)
      leftPasswords += listIn(item, 'passwordHistory').length
    }
  }
  return { entries, defects, leftPasswords }
}

function entryOf(at: number, item: Json, folders: ReadonlyMap<string, string>): Entry {
  const login = objectIn(item, 'login')
  const [collection] = Array.isArray(item['collectionIds']) ? item['collectionIds'] : []
  const folder = folders.get(textIn(item, 'folderId')) ?? folders.get(String(collection)) ?? ''
  const urls = listIn(login, 'uris').map((uri) => textIn(uri, 'uri'))
  const [url = '', ...otherUrls] = urls.filter(Boolean)
  const kinds = [objectIn(item, 'identity'), objectIn(item, 'sshKey')]
  const parts = kinds.flatMap((kind) => Object.entries(kind)).map(([label, value]) => ({ label, value: asText(value) }))
  const more = [
    ...otherUrls.map((value) => ({ label: 'URL', value })),
    ...listIn(item, 'fields').map((field) => ({ label: textIn(field, 'name'), value: textIn(field, 'value') })),
    ...parts,
  ].filter(({ value }) => value !== '')
  const card = cardOf(objectIn(item, 'card'))
  return {
    ...blankEntry,
    at,
    folders: foldersIn(folder),
    name: textIn(item, 'name'),
    username: textIn(login, 'username'),
    password: textIn(login, 'password'),
    url,
    totp: textIn(login, 'totp'),
    notes: textIn(item, 'notes'),
    more,
    ...(card && { card }),
    isFavourite: item['favorite'] === true,
  }
}

function cardOf(card: Json): Card | undefined {
  const number = textIn(card, 'number')
  if (number === '') return undefined
  const expires = [textIn(card, 'expMonth'), textIn(card, 'expYear')].filter(Boolean).join('/')
  return { number, expires, code: textIn(card, 'code'), owner: textIn(card, 'cardholderName') }
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export function jsonIn(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isJson(json) ? json : undefined
  } catch {
    return undefined
  }
}

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
export const textIn = (json: Json, name: string): string => asText(json[name])
const objectIn = (json: Json, name: string): Json => {
  const value = json[name]
  return isJson(value) ? value : {}
}
const listIn = (json: Json, name: string): readonly Json[] => {
  const value = json[name]
  return Array.isArray(value) ? value.filter(isJson) : []
}
