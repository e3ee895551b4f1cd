import { decodeRecord, encodeRecord, type RecordField } from './key-record.ts'
import { keyPairKinds, secretKeyKinds } from './key-kind.ts'

/** What a field of a sealed record holds; with `?` it may be null. */
type FieldKind = 'text' | 'integer' | 'bytes' | 'text?' | 'integer?' | 'bytes?'

const policy = {
  name: 'text',
  type: 'text',
  info: 'text',
  residency: 'text',
  allowExport: 'integer',
  allowPlaintextExport: 'integer',
  allowBackup: 'integer',
  allowDelete: 'integer',
  autoRotatePeriodMs: 'integer',
  oldestVersion: 'integer',
  latestVersion: 'integer',
  minEncryptionVersion: 'integer',
  minDecryptionVersion: 'integer',
  createdAt: 'integer',
  deletedAt: 'integer?',
} as const

const version = {
  type: 'text',
  version: 'integer',
  publicKey: 'bytes?',
  backupKek: 'text?',
  backupBlob: 'bytes?',
  disabled: 'integer',
  createdAt: 'integer',
} as const

const caller = {
  session: 'bytes',
  user: 'bytes',
  userId: 'integer',
  capabilities: 'integer',
  recoveries: 'integer',
  expiresAt: 'integer',
} as const

/** Bytes of an `identity`: random, drawn by the keeper, and so never that of another key, also after a restore. */
export const identityBytes = 16

/**
 * Every kind of record that bears the token's seal, with its fields in the order in which the seal covers them. Records
 * of a key begin with its kind, KEK, blob and, for a pair, public key (`keyRecord`); all others begin with the type. Those
 * of release 0.2.0 that name rows of keys and vaults are read when they are taken over, and else by nothing.
 */
const recordLayouts = {
  template: { id: 'integer', document: 'text', removedAt: 'integer?' },
  'user certificate': { userId: 'integer', fingerprint: 'text', der: 'bytes' },
  'validation client': { id: 'integer', name: 'text', allowUnsigned: 'integer', revokedAt: 'integer?' },
  otp: {
    device: 'text',
    publicId: 'text?',
    userId: 'integer?',
    privateIdCheck: 'bytes?',
    digits: 'integer?',
    periodSeconds: 'integer?',
  },
  'vault key': { vaultId: 'integer' },
  'transparent key': { id: 'integer', vaultId: 'integer', ...policy },
  'transparent key version': { keyId: 'integer', vaultId: 'integer', ...version },
  'import job': {
    id: 'text',
    vaultId: 'integer',
    vault: 'bytes',
    name: 'text',
    type: 'text',
    kind: 'text',
    kek: 'text',
    blob: 'bytes',
    publicKey: 'bytes',
    info: 'text',
    allowExport: 'integer',
    allowPlaintextExport: 'integer',
    allowBackup: 'integer',
    allowDelete: 'integer',
    autoRotatePeriodMs: 'integer',
    createdAt: 'integer',
    expiresAt: 'integer',
  },
  'accepted backup': { vault: 'text', digest: 'text', acceptedAt: 'integer' },
  invocations: { keyId: 'integer', version: 'integer', invocations: 'integer' },
  'vault key 2': { vault: 'bytes' },
  'transparent key 2': { identity: 'bytes', vault: 'bytes', ...policy, generation: 'integer' },
  // The blob lies in a second wrapping, by the key of the vault, and so does that of the backup (`outer-wrapping.ts`).
  'transparent key version 2': { identity: 'bytes', vault: 'bytes', ...version, generation: 'integer' },
  'invocations 2': { identity: 'bytes', vault: 'bytes', version: 'integer', invocations: 'integer' },
  // That the key's own policy asks for the version after this one, until the record expires.
  rotation: { identity: 'bytes', vault: 'bytes', latestVersion: 'integer', expiresAt: 'integer' },
  user: {
    identity: 'bytes',
    id: 'integer',
    username: 'text',
    capabilities: 'integer',
    passphraseSalt: 'bytes',
    passphraseCheck: 'bytes',
    passphraseCost: 'text',
    passphraseChangedAt: 'integer',
    // The second factors, see `user-factors.ts`.
    factors: 'bytes',
    recoveries: 'integer',
    madeBy: 'integer?',
    generation: 'integer',
  },
  // In place of `user` for a row of users that is a service account: neither ever becomes the other.
  'service account': {
    identity: 'bytes',
    id: 'integer',
    username: 'text',
    capabilities: 'integer',
    recoveries: 'integer',
    // `service-account.ts`
    account: 'text',
    generation: 'integer',
  },
  'application key': {
    identity: 'bytes',
    name: 'text',
    keyCheck: 'bytes',
    revokedAt: 'integer?',
    generation: 'integer',
  },
  // Whoever makes a vault is its first member.
  vault: { identity: 'bytes', creator: 'bytes' },
  // Tombstones: what they name has ended, and no record of it comes after.
  'deleted vault': { vault: 'bytes', endedAt: 'integer' },
  'destroyed key': { identity: 'bytes', vault: 'bytes', endedAt: 'integer' },
  // An object of the token that was made as a key, is in no record, and will be in none.
  'unused key': { kek: 'text', blob: 'bytes' },
  // The same of one that was sealed in a record, for a commit which failed as a worker says.
  'discarded key': { kek: 'text', blob: 'bytes', expiresAt: 'integer' },
  // Permission 0: the user is no member any more.
  membership: { vault: 'bytes', user: 'bytes', permission: 'integer', recoveries: 'integer', generation: 'integer' },
  // One that grants (`access/scope.ts`) make narrower than Read; of one user in one vault there is either this or the above.
  'scoped membership': {
    vault: 'bytes',
    user: 'bytes',
    permission: 'integer',
    recoveries: 'integer',
    grants: 'text',
    generation: 'integer',
  },
  session: {
    identity: 'bytes',
    tokenHash: 'text',
    user: 'bytes',
    applicationKey: 'bytes',
    recoveries: 'integer',
    certificate: 'text?',
    createdAt: 'integer',
    expiresAt: 'integer',
  },
  // Of a service account, by one of its credentials; it has this one token.
  'service session': {
    identity: 'bytes',
    tokenHash: 'text',
    account: 'bytes',
    credential: 'text',
    recoveries: 'integer',
    createdAt: 'integer',
    expiresAt: 'integer',
  },
  // What one user sealed for one person, who has its key and the text of which `opener` is the SHA-256.
  'one-time link': {
    identity: 'bytes',
    creator: 'bytes',
    opener: 'bytes',
    digest: 'bytes',
    state: 'text',
    createdAt: 'integer',
    expiresAt: 'integer',
    closedAt: 'integer?',
    generation: 'integer',
  },
  // The public half of a passkey: JSON of a `PublicJwk`, by the id that its authenticator knows it by.
  passkey: { userId: 'integer', credentialId: 'bytes', publicKey: 'text' },
  // See `passkey-challenge.ts`; without a session for a login.
  'passkey challenge': { session: 'bytes?', issuedAt: 'integer' },
  // What the keeper of a machine tells those of others; `entries` is JSON (`floor-exchange.ts`).
  'floor news': {
    machine: 'text',
    name: 'text',
    number: 'integer',
    previous: 'text',
    base: 'integer',
    epoch: 'integer',
    at: 'integer',
    entries: 'text',
  },
  // What a session may do until the grant expires: in one vault, or in none.
  grant: { ...caller, vault: 'bytes?', permission: 'integer', grants: 'text?' },
  // What a session may do that has just shown a second factor: one change of the record of its user with this SHA-256.
  'fresh grant': { ...caller, record: 'bytes' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldKind>>>>

export type RecordType = keyof typeof recordLayouts

type Layouts = typeof recordLayouts
type Basic<K> = K extends `text${string}` ? string : K extends `integer${string}` ? number : Buffer
type ValueOf<K> = K extends `${string}?` ? Basic<K> | null : Basic<K>

/** The fields of a record of one type. */
export type FieldsOf<T extends RecordType> = { readonly [N in keyof Layouts[T]]: ValueOf<Layouts[T][N]> }

/** The key that a record is of. */
export interface RecordKey {
  readonly kind: string
  readonly kek: string
  readonly blob: Buffer
  /** Of a pair. */
  readonly publicKey: Buffer | undefined
}

/** A record that was read; `key` where the type is one of a key. */
export type OpenedRecord = {
  readonly [T in RecordType]: { readonly type: T; readonly key: RecordKey | undefined; readonly fields: FieldsOf<T> }
}[RecordType]

/**
 * Reads a record field by field. Throws TypeError or RangeError unless it is exactly what `encodeRecord` makes of a
 * record of a known type.
 */
export function openRecord(record: Buffer): OpenedRecord {
  const raw = decodeRecord(record).map(valueOf)
  const key = keyOf(raw)
  const [type, ...values] = key === undefined ? raw : raw.slice(key.publicKey === undefined ? 3 : 4)
  const layout = Object.entries(layoutOf(type))
  if (values.length !== layout.length) throw new TypeError(`a record ${String(type)} of ${values.length} fields`)
  const fields = Object.fromEntries(layout.map(([name, kind], at) => [name, checked(name, kind, values[at])]))
  // Two encodings of one record would bear two seals.
  if (!encodeRecord(raw).equals(record)) throw new TypeError('the record is not in its canonical form')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field was checked against the layout of its type
  return { type, key, fields } as unknown as OpenedRecord
}

const kinds: ReadonlySet<unknown> = new Set([...secretKeyKinds, ...keyPairKinds])
const pairKinds: ReadonlySet<unknown> = new Set(keyPairKinds)

function keyOf([kind, kek, blob, publicKey]: readonly RecordField[]): RecordKey | undefined {
  if (typeof kind !== 'string' || !kinds.has(kind)) return undefined
  if (typeof kek !== 'string' || !Buffer.isBuffer(blob)) throw new TypeError('a record of a key without KEK and blob')
  if (!pairKinds.has(kind)) return { kind, kek, blob, publicKey: undefined }
  if (!Buffer.isBuffer(publicKey)) throw new TypeError('a pair without its public key')
  return { kind, kek, blob, publicKey }
}

function layoutOf(type: RecordField | undefined): Readonly<Record<string, FieldKind>> {
  if (typeof type !== 'string' || !Object.hasOwn(recordLayouts, type))
    throw new TypeError(`there is no record of type ${String(type)}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an own name of the layouts
  return recordLayouts[type as RecordType]
}

/** The first byte of a field tells what it is (`encodeRecord`). */
function valueOf(field: Buffer): RecordField {
  const content = field.subarray(1)
  switch (field[0]) {
    case 0x62:
      return content
    case 0x69:
      return Number(content.toString('latin1'))
    case 0x6e:
      return null
    case 0x73:
      return content.toString('utf8')
    default:
      throw new TypeError('a field of no known kind')
  }
}

function checked(name: string, kind: FieldKind, value: RecordField | undefined): RecordField {
  if (value === null && kind.endsWith('?')) return null
  const fits =
    (kind.startsWith('text') && typeof value === 'string') ||
    (kind.startsWith('integer') && Number.isSafeInteger(value)) ||
    (kind.startsWith('bytes') && Buffer.isBuffer(value))
  if (!fits || value === undefined) throw new TypeError(`the field ${name} is no ${kind}`)
  return value
}

/** The bytes of a record of this type, of a key where there is one. */
export function composeRecord<T extends RecordType>(type: T, fields: FieldsOf<T>, key?: RecordKey): Buffer {
  const values: Readonly<Record<string, RecordField>> = fields
  const named = [type, ...Object.keys(recordLayouts[type]).map((name) => values[name] ?? null)]
  if (key === undefined) return encodeRecord(named)
  const { kind, kek, blob, publicKey } = key
  return encodeRecord([kind, kek, blob, ...(publicKey === undefined ? [] : [publicKey]), ...named])
}
