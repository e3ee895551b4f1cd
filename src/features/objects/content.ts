import type { Template } from '../templates/template.ts'
import { derivedName, type FieldValues } from './field-values.ts'
import type { FileManifest } from './file-store.ts'
import type { FileInfo, StoredObject } from './read-records.ts'
import { statusBits, type ObjectChange } from './records.ts'

/** A file that was stored for an object. */
export interface Upload {
  readonly manifest: FileManifest
  readonly info: FileInfo
}

/** What a call adds to an object. */
export interface Addition {
  readonly template: Template
  /** Undefined: the object keeps the name that somebody chose for it, else it is derived. */
  readonly name: string | undefined
  readonly values: FieldValues
  readonly upload: Upload | undefined
}

export type Content = Pick<StoredObject, 'name' | 'nameGiven' | 'fields' | 'weakFields' | 'file' | 'status'>

export const noContent: Content = {
  name: '',
  nameGiven: false,
  fields: {},
  weakFields: [],
  file: undefined,
  status: statusBits.active,
}

/** Content with what a call adds, as it is written down. `isWeak` says which values break the vault's password policy. */
export function addedTo(before: Content, addition: Addition, isWeak: (value: string) => boolean): ObjectChange {
  const { template, values, upload } = addition
  // A field that its template has made secret since is not open any more.
  const stillOpen = Object.entries(before.fields).filter(([name]) => !(name in values.secret))
  const fields = { ...Object.fromEntries(stillOpen), ...values.open }
  const kept = addition.name ?? (before.nameGiven ? before.name : undefined)
  const name = kept ?? derivedName(template, fields)
  const file = upload?.info ?? before.file
  const weakFields = weakOf(before.weakFields, addition, isWeak)
  const badPolicy = weakFields.length > 0 ? statusBits.badPolicy : 0
  return {
    name,
    nameGiven: kept === undefined ? 0 : 1,
    publicFields: JSON.stringify(fields),
    searchText: searchForm([...new Set([name, ...Object.values(fields), file?.name ?? ''])].join('\n')),
    weakFields: JSON.stringify(weakFields),
    status: (before.status & ~statusBits.badPolicy) | badPolicy,
    fileInfo: file === undefined ? null : JSON.stringify(file),
  }
}

/** Lower case on both sides makes a search blind to case. */
export const searchForm = (text: string): string => text.toLowerCase()

function weakOf(
  before: readonly string[],
  { template, values }: Addition,
  isWeak: (value: string) => boolean,
): string[] {
  const given: Readonly<Record<string, string>> = { ...values.open, ...values.secret }
  return template.fields
    .filter(({ name, followsPolicy }) => {
      const value = given[name]
      return followsPolicy && (value === undefined ? before.includes(name) : value !== '' && isWeak(value))
    })
    .map(({ name }) => name)
}

/** Encryptions with the vault's data key that writing it down takes. */
export function keyUsesOf({ values, upload }: Addition): number {
  return Object.values(values.secret).filter((value) => value !== '').length + (upload ? 1 : 0)
}
