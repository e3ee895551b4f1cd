import { decodeBase64 } from '../encoding/base64.ts'
import { fitsParts, longestPattern, mostStars } from './star-pattern.ts'

/** The operations with keys that grants can allow, in the order in which they are written. */
export const keyOperations = [
  'encrypt',
  'decrypt',
  'rewrap',
  'sign',
  'verify',
  'hmac',
  'datakey',
  'random',
  'read',
] as const
/** The operations with objects: find them, read their unencrypted fields, decrypt their encrypted fields and file. */
export const objectOperations = ['list', 'read', 'decrypt'] as const

export type KeyOperation = (typeof keyOperations)[number]
export type ObjectOperation = (typeof objectOperations)[number]
/** An operation that a call needs from the grants. */
export type ScopedUse = `key.${KeyOperation}` | `object.${ObjectOperation}`

/** An entry of grants as the interface writes it. */
export type GrantEntry = KeyEntry | ObjectEntry

export interface KeyEntry {
  /** A pattern of names, in which each * stands for any number of any characters. */
  readonly keys: string
  readonly operations: readonly KeyOperation[]
  /** The required beginning of the additional data, in base64. */
  readonly aad?: string
  /** Limit of items per day (UTC). */
  readonly daily?: number
  /** Calls under this entry must not have unknown members. */
  readonly strict?: true
}

export interface ObjectEntry {
  readonly objects: readonly ObjectOperation[]
}

/** An entry as an Admin sends it: optional members may be present with undefined values. */
type GivenEntry = GivenKeys | ObjectEntry

interface GivenKeys extends Pick<KeyEntry, 'keys' | 'operations'> {
  readonly aad?: string | undefined
  readonly daily?: number | undefined
  readonly strict?: boolean | undefined
}

export const grantLimits = {
  entries: 32,
  bytes: 8_192,
  pattern: longestPattern,
  stars: mostStars,
  aadBytes: 256,
  daily: 1_000_000_000,
}

const patternForm = /^[\w.*-]+$/
/** Operations without additional data ignore `aad`. */
const withoutAad: ReadonlySet<KeyOperation> = new Set(['sign', 'verify', 'hmac'])

/** The text of grants in the one form that is sealed. @throws RangeError, whose message names the invalid entry */
export function writeGrants(entries: readonly GivenEntry[]): string {
  const { entries: most, bytes } = grantLimits
  if (entries.length === 0 || entries.length > most) throw new RangeError(`must have 1 to ${most} entries`)
  const text = JSON.stringify(
    entries.map((entry, at) => ('objects' in entry ? ofObjects(entry, at) : ofKeys(entry, at))),
  )
  if (text.length > bytes) throw new RangeError(`must have ${bytes} bytes at most`)
  return text
}

function ofObjects({ objects }: ObjectEntry, at: number): ObjectEntry {
  return { objects: inOrder(objects, objectOperations, `entry ${at}: objects`) }
}

function ofKeys({ keys, operations, aad, daily, strict }: GivenKeys, at: number): KeyEntry {
  const { pattern, stars, aadBytes, daily: mostDaily } = grantLimits
  if (keys.length > pattern || !patternForm.test(keys) || keys.split('*').length > stars + 1)
    throw new RangeError(
      `entry ${at}: keys must have 1 to ${pattern} letters, digits and _ . - and *, of which ${stars} at most`,
    )
  const written = inOrder(operations, keyOperations, `entry ${at}: operations`)
  const prefix = aad === undefined ? undefined : decodeBase64(aad)
  if (aad !== undefined && (prefix === undefined || prefix.length === 0 || prefix.length > aadBytes))
    throw new RangeError(`entry ${at}: aad must be base64 of 1 to ${aadBytes} bytes`)
  if (aad !== undefined && written.some((operation) => withoutAad.has(operation)))
    throw new RangeError(
      `entry ${at}: aad does not go with ${[...withoutAad].join(', ')}, which have none: make two entries`,
    )
  if (daily !== undefined && !(Number.isSafeInteger(daily) && daily >= 1 && daily <= mostDaily))
    throw new RangeError(`entry ${at}: daily must be 1 to ${mostDaily}`)
  return {
    keys,
    operations: written,
    ...(aad === undefined ? {} : { aad }),
    ...(daily === undefined ? {} : { daily }),
    ...(strict === true ? { strict } : {}),
  }
}

function inOrder<T extends string>(given: readonly T[], known: readonly T[], member: string): T[] {
  // `given` may be any JSON value where the text was read from the database.
  const written = Array.isArray(given) ? known.filter((one) => given.includes(one)) : []
  if (written.length === 0 || given.some((one) => !known.includes(one)))
    throw new RangeError(`${member} must have one or more of ${known.join(', ')}`)
  return written
}

/** Parsed grants: everything that a narrowed member may do. */
export interface Scope {
  readonly entries: readonly GrantEntry[]
  readonly keys: readonly KeyScope[]
  readonly objects: ReadonlySet<ObjectOperation>
}

export interface KeyScope {
  readonly entry: KeyEntry
  readonly operations: ReadonlySet<KeyOperation>
  /** Between two parts any characters may stand. */
  readonly parts: readonly string[]
  readonly aad: Buffer | undefined
}

/** Whether a text has the form that `writeGrants` writes. */
export function areGrants(text: string): boolean {
  try {
    // Before it is parsed: the keeper reads a text of any length here, and knows only later who asks.
    return text.length <= grantLimits.bytes && writeGrants(entriesIn(text)) === text
  } catch {
    return false
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `writeGrants` looks at all of it
const entriesIn = (text: string): GrantEntry[] => JSON.parse(text) as GrantEntry[]

/** Number of parsed scopes in memory, 10 KiB each at most. */
const heldScopes = 1_000
const held = new Map<string, Scope>()
const nothing: Scope = { entries: [], keys: [], objects: new Set() }

/**
 * The parsed grants: null for none; a scope that allows nothing where the text is invalid. Each text is parsed once for
 * many uses.
 */
export function scopeOf(grants: string): Scope
export function scopeOf(grants: string | null): Scope | null
export function scopeOf(grants: string | null): Scope | null {
  if (grants === null) return null
  const known = held.get(grants)
  if (known !== undefined) return known
  const scope = areGrants(grants) ? readScope(entriesIn(grants)) : nothing
  // Drops the scope that was parsed first: parsing again takes some 20 µs.
  const oldest = held.size < heldScopes ? undefined : held.keys().next().value
  if (oldest !== undefined) held.delete(oldest)
  held.set(grants, scope)
  return scope
}

function readScope(entries: readonly GrantEntry[]): Scope {
  return {
    entries,
    keys: entries.flatMap((entry) => ('keys' in entry ? [keyScope(entry)] : [])),
    objects: new Set(entries.flatMap((entry) => ('objects' in entry ? entry.objects : []))),
  }
}

function keyScope(entry: KeyEntry): KeyScope {
  return {
    entry,
    operations: new Set(entry.operations),
    parts: entry.keys.split('*'),
    aad: entry.aad === undefined ? undefined : decodeBase64(entry.aad),
  }
}

/** The key of a use and its additional data; undefined members are not checked yet. */
export interface ScopedKey {
  readonly name?: string | undefined
  readonly aad?: Buffer | undefined
}

/** The entries that allow an operation. */
export function entriesFor({ keys }: Scope, operation: KeyOperation, { name, aad }: ScopedKey): KeyScope[] {
  return keys.filter(
    (one) =>
      one.operations.has(operation) &&
      (name === undefined || fitsParts(one.parts, name)) &&
      (aad === undefined || one.aad === undefined || aad.subarray(0, one.aad.length).equals(one.aad)),
  )
}

/** Whether any entry allows the operation. */
export function allows(scope: Scope, use: ScopedUse, key: ScopedKey = {}): boolean {
  const [subject, operation] = use.split('.')
  if (subject === 'object') return objectOperations.some((one) => one === operation && scope.objects.has(one))
  return keyOperations.some((one) => one === operation && entriesFor(scope, one, key).length > 0)
}
