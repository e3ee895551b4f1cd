import { isLonger } from '../../encoding/text-length.ts'
import { Fault } from '../../fault.ts'
import type { Field, Template } from '../templates/template.ts'
import type { FileManifest } from './file-store.ts'
import type { FileInfo, StoredObject } from './read-records.ts'
import { statusBits, type ObjectChange } from './records.ts'

/** The values that a call gives for the fields of a template. */
export interface FieldValues {
  readonly open: Readonly<Record<string, string>>
  readonly secret: Readonly<Record<string, string>>
}

export interface ValueRules {
  /** Whether fields that are left out keep their value. Otherwise they must be optional. */
  readonly partial: boolean
  /** Name of the file that comes with the call. */
  readonly filename: string | undefined
}

type Members = Readonly<Record<string, unknown>>

/** Of a field's value, in code points. */
const maxLength = 65_536
/** Of an object's name, in code points. */
export const maxNameLength = 255

/**
 * The members of a call that are fields of the template. Other members are ignored, since published clients send some.
 * @throws Fault `object.invalid`, which names the field
 */
export function readValues(template: Template, members: Members, rules: ValueRules): FieldValues {
  const open: Record<string, string> = {}
  const secret: Record<string, string> = {}
  for (const field of template.fields) {
    // Clients that copy a table send null for an empty value. It counts as missing for a new object; in an edit it
    // could mean that the field be emptied, so it is refused there.
    const given = rules.partial ? members[field.name] : (members[field.name] ?? undefined)
    const value = field.type === 'file' ? rules.filename : textOf(field, given)
    if (value === undefined && rules.partial) continue
    if (!value && !field.optional)
      throw invalid(
        field.type === 'file'
          ? `${field.name} is missing: send the file as a part of multipart/form-data.`
          : `${field.name} ${value === undefined ? 'is missing' : 'must not be empty'}: the template ${template.name} needs it.`,
      )
    if (field.encrypted && field.type !== 'file') secret[field.name] = value ?? ''
    else open[field.name] = value ?? ''
  }
  return { open, secret }
}

/** @throws Fault `object.invalid` if the template does not take this file */
export function checkFile(template: Template, filename: string): void {
  if (template.file === undefined) throw invalid(`The template ${template.name} takes no file.`)
  const extension = extensionOf(filename)
  const taken = template.file.split(',')
  if (template.file !== '*' && !taken.includes(extension))
    throw invalid(`The template ${template.name} takes files that end with ${taken.join(', ')}.`)
}

/** In lower case and without the dot; empty where there is no extension. */
export function extensionOf(filename: string): string {
  return /[^.]\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
}

function textOf(field: Field, value: unknown): string | undefined {
  if (value === undefined) return undefined
  // JSON.parse rounds a longer number.
  if (typeof value !== 'string' && !(typeof value === 'number' && Number.isSafeInteger(value)))
    throw invalid(`${field.name} must be a text, or a whole number of 15 digits at most.`)
  const text = String(value)
  if (isLonger(text, maxLength)) throw invalid(`${field.name} must have ${maxLength} characters at most.`)
  if (!(field.type === 'textarea' ? /^[\P{Cc}\t\n\r]*$/u : /^\P{Cc}*$/u).test(text))
    throw invalid(`${field.name} must not hold control characters.`)
  if (text !== '') checkKind(field, text)
  return text
}

function checkKind({ name, type, options }: Field, text: string): void {
  if (type === 'dropdown' && options && !options.includes(text))
    throw invalid(`${name} must be one of ${options.join(', ')}.`)
  if (type === 'progress' && !/^(100|[1-9]?\d)$/.test(text)) throw invalid(`${name} must be a number from 0 to 100.`)
}

const invalid = (sentence: string): Fault => new Fault('object.invalid', sentence)

/**
 * The name of an object for which the client gives none: the subject of a certificate, otherwise the first field that
 * is not secret.
 */
function derivedName(template: Template, open: Readonly<Record<string, string>>): string {
  const subject = template.file === undefined ? undefined : open['cn']
  const names = [subject, ...template.fields.map(({ name }) => open[name]), template.name]
  const name = names.map((value) => value?.trim().replaceAll(/\s+/g, ' ')).find(Boolean) ?? ''
  return isLonger(name, maxNameLength)
    ? `${Array.from(name)
        .slice(0, maxNameLength - 1)
        .join('')}…`
    : name
}

/** A file that was stored for the object. */
export interface Upload {
  readonly manifest: FileManifest
  readonly info: FileInfo
}

/** The values that a call sets on an object. */
export interface Addition {
  readonly template: Template
  /** Undefined: a name that a user chose is kept, any other is derived again. */
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

/** The new content of an object. `isWeak` says whether a value breaks the vault's password policy. */
export function addedTo(before: Content, addition: Addition, isWeak: (value: string) => boolean): ObjectChange {
  const { template, values, upload } = addition
  // Drops unencrypted values of fields that the template has made secret since.
  const stillOpen = Object.entries(before.fields).filter(([name]) => !(name in values.secret))
  const fields = { ...Object.fromEntries(stillOpen), ...values.open }
  const kept = addition.name ?? (before.nameGiven ? before.name : undefined)
  const name = kept ?? derivedName(template, fields)
  const file = upload?.info ?? before.file
  const weakFields = weakAmong(before.weakFields, template, { ...values.open, ...values.secret }, isWeak)
  return {
    name,
    nameGiven: kept === undefined ? 0 : 1,
    publicFields: JSON.stringify(fields),
    searchText: searchTextOf({ name, fields, file }),
    weakFields: JSON.stringify(weakFields),
    status: statusWith(before.status, weakFields),
    fileInfo: file === undefined ? null : JSON.stringify(file),
  }
}

/** In characters. SQLite indexes as many in some 20 ms; the longest fields would make others wait half a second. */
const mostSearched = 16_384
export const mostSearchedBytes = 3 * mostSearched

/** The text that a search looks through: all short texts, and the beginning of those that do not fit. */
export function searchTextOf({ name, fields, file }: Pick<Content, 'name' | 'fields' | 'file'>): string {
  const values = Object.values(fields).toSorted((one, other) => one.length - other.length)
  const text = [...new Set([name, file?.name ?? '', ...values].map(searchForm))].join('\n')
  // Does not cut a character in half: PostgreSQL accepts no lone surrogate in JSON.
  return text.length <= mostSearched ? text : text.slice(0, mostSearched).replace(/[\uD800-\uDBFF]$/, '')
}

/**
 * Longer texts are not normalized, in characters: a text of nothing but accents takes time that grows with the square
 * of its length.
 */
const mostNormalized = 1_024

/**
 * The form of both sides of a comparison: searches ignore case, and whether an accent is a character of its own, as
 * macOS writes it in names of files.
 */
export const searchForm = (text: string): string =>
  (text.length <= mostNormalized ? text.normalize('NFC') : text).toLowerCase()

/**
 * What to look for: also the text as it was typed, for values that are not normalized, because they are long or of an
 * earlier release.
 */
export const needlesOf = (text: string): readonly string[] => [...new Set([searchForm(text), text.toLowerCase()])]

/** The status with the bit that says whether a value breaks the policy. */
export function statusWith(status: number, weakFields: readonly string[]): number {
  return (status & ~statusBits.badPolicy) | (weakFields.length > 0 ? statusBits.badPolicy : 0)
}

/** The fields that break the policy. Fields without a new value keep their verdict. */
export function weakAmong(
  before: readonly string[],
  template: Template,
  given: Readonly<Record<string, string>>,
  isWeak: (value: string) => boolean,
): string[] {
  return template.fields
    .filter(({ name, followsPolicy }) => {
      const value = given[name]
      return followsPolicy && (value === undefined ? before.includes(name) : value !== '' && isWeak(value))
    })
    .map(({ name }) => name)
}

/** The number of encryptions with the vault's data key that storing this takes. */
export function keyUsesOf({ values, upload }: Addition): number {
  return Object.values(values.secret).filter((value) => value !== '').length + (upload ? 1 : 0)
}
