import { type Kdbx, KdbxBinaries, type KdbxEntry, type KdbxEntryField, type KdbxGroup, ProtectedValue } from 'kdbxweb'
import {
  type AttachedFile,
  blankEntry,
  type Defective,
  type Entry,
  isBlank,
  mostAttachedBytes,
  mostBytes,
  mostEntries,
  type ReadFile,
  UnreadableFile,
} from '../entry.ts'
import { seedAmong } from './keepass-seed.ts'

/** Names of the fields that every KeePass entry has. */
const usualFields = ['Title', 'UserName', 'Password', 'URL', 'Notes'] as const

/** Real files are not nested more deeply. */
const deepestGroup = 64

/**
 * The entries of an opened KeePass file. Its recycle bin and earlier versions of entries are left out. Attached files
 * beyond the limit are left out and counted.
 * @throws UnreadableFile
 */
export function entriesIn({ groups, meta }: Kdbx): ReadFile {
  const bin = meta.recycleBinEnabled === true ? meta.recycleBinUuid?.id : undefined
  const entries: Entry[] = []
  const defects: Defective[] = []
  let at = 0
  let leftFiles = 0
  let attachedBytes = 0
  let length = 0

  function read(group: KdbxGroup, folders: readonly string[]): void {
    if (folders.length > deepestGroup) throw new UnreadableFile('form')
    for (const one of group.entries) {
      at += 1
      if (at > mostEntries) throw new UnreadableFile('count')
      const attached = filesOf(one)
      const size = attached.reduce((sum, { content }) => sum + content.byteLength, 0)
      const isTaken = attachedBytes + size <= mostAttachedBytes
      if (isTaken) attachedBytes += size
      else leftFiles += attached.length
      const entry = { ...entryOf(at, one, folders), files: isTaken ? attached : [] }
      length += JSON.stringify(entry).length
      // The file is compressed, so a small one may unpack to a large one.
      if (length > mostBytes) throw new UnreadableFile('size')
      if (isBlank(entry) && entry.files.length === 0) defects.push({ at, why: 'empty' })
      else entries.push(entry)
    }
    for (const inner of group.groups) if (inner.uuid.id !== bin) read(inner, [...folders, inner.name ?? ''])
  }

  // The outermost group represents the file itself.
  for (const group of groups) read(group, [])
  return { entries, defects, leftFiles }
}

function entryOf(at: number, { fields, tags, times }: KdbxEntry, folders: readonly string[]): Entry {
  const of = (field: (typeof usualFields)[number]): string => textOf(fields.get(field))
  const usual: readonly string[] = usualFields
  const others = new Map(
    [...fields].filter(([label]) => !usual.includes(label)).map(([label, value]) => [label, textOf(value)]),
  )
  const seed = seedAmong(others)
  for (const label of seed?.fields ?? []) others.delete(label)
  const expiry = times.expires === true ? times.expiryTime?.toISOString().slice(0, 10) : undefined
  const more = [
    ...[...others].map(([label, value]) => ({ label, value })),
    { label: 'Tags', value: tags.join(', ') },
    { label: 'Expires', value: expiry ?? '' },
  ].filter(({ value }) => value !== '')
  const [name, username, password, url, notes] = [of('Title'), of('UserName'), of('Password'), of('URL'), of('Notes')]
  return { ...blankEntry, at, folders, name, username, password, url, totp: seed?.totp ?? '', notes, more }
}

const textOf = (value: KdbxEntryField | undefined): string =>
  value === undefined || typeof value === 'string' ? (value ?? '') : value.getText()

const filesOf = ({ binaries }: KdbxEntry): readonly AttachedFile[] =>
  [...binaries].map(([name, binary]) => {
    const content = KdbxBinaries.isKdbxBinaryWithHash(binary) ? binary.value : binary
    return { name, content: content instanceof ProtectedValue ? new Uint8Array(content.getBinary()).buffer : content }
  })
