import { Fault } from '../../fault.ts'
import { kindsOfTypes, type Hash, type KeyKind } from '../../hsm/key-kind.ts'
import { mostInvocations } from '../../hsm/rotation-due.ts'

/** A key type as a row of data. Code that uses a key reads the row instead of comparing names. */
export interface KeyType {
  readonly name: string
  /** The kind of key that the token generates for it. */
  readonly kind: KeyKind
  readonly cipher?: CipherRow
  readonly signature?: SignatureRow
  readonly mac?: true
}

export interface CipherRow {
  readonly ivBytes: number
  /** 0 for types without authentication, which take no AAD. */
  readonly tagBytes: number
  /** Limit of encryptions per version (NIST SP 800-38D §8.3: 2^32 with random 96-bit IVs). */
  readonly maxInvocations: number
}

export interface SignatureRow {
  readonly family: 'ecdsa' | 'ed25519' | 'rsa'
  /** The default hash, as strong as the key. */
  readonly hash: Hash
  /** ECDSA only: the length of r and of s. */
  readonly orderBytes: number
}

export const defaultKeyType = 'aes128-gcm96'

const gcm: CipherRow = { ivBytes: 12, tagBytes: 16, maxInvocations: mostInvocations }
/** CTR has no tag. Its IV is a random block; with at most 2^32 of them, counter ranges do not overlap either. */
const stream: CipherRow = { ivBytes: 16, tagBytes: 0, maxInvocations: mostInvocations }
const rsa: SignatureRow = { family: 'rsa', hash: 'sha256', orderBytes: 0 }

const rows: readonly (Omit<KeyType, 'kind'> & { readonly name: keyof typeof kindsOfTypes })[] = [
  { name: 'aes128-gcm96', cipher: gcm },
  { name: 'aes256-gcm96', cipher: gcm },
  { name: 'aes128-ctr', cipher: stream },
  { name: 'aes256-ctr', cipher: stream },
  { name: 'aes128-ofb', cipher: stream },
  { name: 'aes256-ofb', cipher: stream },
  { name: 'hmac-sha256', mac: true },
  { name: 'ecdsa-p256', signature: { family: 'ecdsa', hash: 'sha256', orderBytes: 32 } },
  { name: 'ecdsa-p384', signature: { family: 'ecdsa', hash: 'sha384', orderBytes: 48 } },
  { name: 'ed25519', signature: { family: 'ed25519', hash: 'sha512', orderBytes: 32 } },
  { name: 'rsa-2048', signature: rsa },
  { name: 'rsa-3072', signature: rsa },
  { name: 'rsa-4096', signature: rsa },
]

export const keyTypes: readonly KeyType[] = rows.map((row) => ({ ...row, kind: kindsOfTypes[row.name] }))

// A Map, so that a hostile name cannot reach Object.prototype.
const byName: ReadonlyMap<string, KeyType> = new Map(keyTypes.map((type) => [type.name, type]))

export function findKeyType(name: string): KeyType | undefined {
  return byName.get(name)
}

/** The type of a stored key. @throws Fault `key.tampered` for a name that this program never writes */
export function keyTypeOf(name: string): KeyType {
  const type = byName.get(name)
  if (type === undefined)
    throw new Fault('key.tampered', undefined, { cause: new TypeError(`a stored key has the type ${name}`) })
  return type
}

/** @throws Fault `key.wrong_type`, with the operations that the type lacks */
export function cipherOf(type: KeyType): CipherRow {
  return type.cipher ?? refuse(type, 'encrypt or decrypt')
}

/** @throws Fault `key.wrong_type`; `request.invalid` for AAD with a type without authentication */
export function checkAad(type: KeyType, aad: Buffer | undefined): void {
  if (aad !== undefined && cipherOf(type).tagBytes === 0)
    throw new Fault('request.invalid', `Keys of type ${type.name} take no aad: they authenticate nothing.`)
}

/** @throws Fault `key.wrong_type` */
export function signatureOf(type: KeyType): SignatureRow {
  return type.signature ?? refuse(type, 'sign')
}

/** @throws Fault `key.wrong_type` */
export function checkMac(type: KeyType): void {
  if (type.mac !== true) refuse(type, 'make HMACs')
}

function refuse(type: KeyType, what: string): never {
  throw new Fault(
    'key.wrong_type',
    `Keys of type ${type.name} do not ${what}: take a key of a type that does, see /transparent/types.`,
  )
}
