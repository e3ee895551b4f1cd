import { decodeRecord, encodeRecord, longestRecord, type RecordField } from './key-record.ts'
import { keyPairKinds, secretKeyKinds } from './key-kind.ts'

/** The type of a field of a sealed record; with `?` it may be null. */
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

/**
 * Bytes of an `identity`. The keeper draws it at random, so that no two subjects ever have the same, also after a
 * restore.
 */
export const identityBytes = 16

/**
 * Every kind of record that bears the token's seal, with its fields in the order in which the seal covers them. Records
 * of a key begin with its kind, KEK, blob and, for a pair, public key (`keyRecord`); all others begin with the type.
 * The types of release 0.2.0, which name the rows of keys and vaults by number, are read only by the takeover.
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
  // Both blobs have a second wrapping, by the key of the vault (`outer-wrapping.ts`).
  'transparent key version 2': { identity: 'bytes', vault: 'bytes', ...version, generation: 'integer' },
  'invocations 2': { identity: 'bytes', vault: 'bytes', version: 'integer', invocations: 'integer' },
  // Allows the version after this one until the record expires, because the key's policy requires it.
  rotation: { identity: 'bytes', vault: 'bytes', latestVersion: 'integer', expiresAt: 'integer' },
  // Allows a token host to make one object in the token until the permit expires (`object-permits.ts`). `id`: its CKA_ID.
  'object permit': { id: 'bytes', kek: 'text', kind: 'text', purpose: 'bytes', expiresAt: 'integer' },
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
  // Instead of `user`, for the row of a service account. A row never changes from one to the other.
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
  // The creator of a vault becomes its first member.
  vault: { identity: 'bytes', creator: 'bytes' },
  // Tombstones: the vault or key has ended, and no record of it follows.
  'deleted vault': { vault: 'bytes', endedAt: 'integer' },
  'destroyed key': { identity: 'bytes', vault: 'bytes', endedAt: 'integer' },
  // An object of the token that was made as a key and is never in a record.
  'unused key': { kek: 'text', blob: 'bytes' },
  // The same for an object in a sealed record whose commit failed, according to the worker.
  'discarded key': { kek: 'text', blob: 'bytes', expiresAt: 'integer' },
  // Permission 0: a former member.
  membership: { vault: 'bytes', user: 'bytes', permission: 'integer', recoveries: 'integer', generation: 'integer' },
  // Instead of `membership`, for a member whose grants (`access/scope.ts`) allow less than Read.
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
  // The session of a service account, begun by one of its credentials. Its token is never replaced.
  'service session': {
    identity: 'bytes',
    tokenHash: 'text',
    account: 'bytes',
    credential: 'text',
    recoveries: 'integer',
    createdAt: 'integer',
    expiresAt: 'integer',
  },
  // `opener`: SHA-256 of the text that opens the link; `digest`: SHA-256 of the ciphertext.
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
  // `publicKey`: a `PublicJwk` as JSON; `credentialId`: the id by which the authenticator knows the passkey.
  passkey: { userId: 'integer', credentialId: 'bytes', publicKey: 'text' },
  // See `passkey-challenge.ts`; `session` is null for a login.
  'passkey challenge': { session: 'bytes?', issuedAt: 'integer' },
  // A batch of news for the keepers of other machines; `entries` is JSON (`floor-exchange.ts`).
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
  // Allows a session that has just shown a second factor one change of its user's record, whose SHA-256 is `record`.
  'fresh grant': { ...caller, record: 'bytes' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldKind>>>>

export type RecordType = keyof typeof recordLayouts

type Layouts = typeof recordLayouts
type Basic<K> = K extends `text${string}` ? string : K extends `integer${string}` ? number : Buffer
type ValueOf<K> = K extends `${string}?` ? Basic<K> | null : Basic<K>

/** The fields of a record of one type. */
export type FieldsOf<T extends RecordType> = { readonly [N in keyof Layouts[T]]: ValueOf<Layouts[T][N]> }

/** The wrapped key in a record. */
export interface RecordKey {
  readonly kind: string
  readonly kek: string
  readonly blob: Buffer
  /** DER SubjectPublicKeyInfo for a pair; undefined for a secret key. */
  readonly publicKey: Buffer | undefined
}

/** A parsed record; `key` is set for the types that contain a wrapped key. */
export type OpenedRecord = {
  readonly [T in RecordType]: { readonly type: T; readonly key: RecordKey | undefined; readonly fields: FieldsOf<T> }
}[RecordType]

/**
 * Reads a record field by field. Throws TypeError or RangeError unless it is exactly what `encodeRecord` makes of a
 * record of a known type.
 */
export function openRecord(record: Buffer): OpenedRecord {
  if (record.length > longestRecord) throw new RangeError(`a record of ${record.length} bytes`)
  const raw = decodeRecord(record).map(valueOf)
  const key = keyOf(raw)
  const [type, ...values] = key === undefined ? raw : raw.slice(key.publicKey === undefined ? 3 : 4)
  const layout = Object.entries(layoutOf(type))
  if (values.length !== layout.length) throw new TypeError(`a record ${String(type)} of ${values.length} fields`)
  const fields = Object.fromEntries(layout.map(([name, kind], at) => [name, checked(name, kind, values[at])]))
  // Otherwise one record could have two encodings, and two seals.
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

/** The first byte of a field gives its type (`encodeRecord`). */
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

/** The canonical bytes of a record; with `key` for the types that contain a wrapped key. */
export function composeRecord<T extends RecordType>(type: T, fields: FieldsOf<T>, key?: RecordKey): Buffer {
  const values: Readonly<Record<string, RecordField>> = fields
  const named = [type, ...Object.keys(recordLayouts[type]).map((name) => values[name] ?? null)]
  if (key === undefined) return encodeRecord(named)
  const { kind, kek, blob, publicKey } = key
  return encodeRecord([kind, kek, blob, ...(publicKey === undefined ? [] : [publicKey]), ...named])
}
