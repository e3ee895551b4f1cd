import { createPublicKey, hash, verify } from 'node:crypto'

/** The form of the name of a chain. */
export const chainNamePattern = /^[a-z][a-z0-9-]{0,31}$/

/** A point of an audit chain: the sequence number of a line and the hex SHA-256 of its bytes, the newline included. */
export interface ChainPoint {
  readonly seq: number
  readonly hash: string
}

/** Most other chains that one statement names, so that it fits into a line of the trail. Seals name more in turns. */
export const mostHeads = 256

/**
 * The statement that the keeper signs: the last record of a chain (`covers`), and the last sealed records of the other
 * chains at that time. The sequence number of the seal's own line is not signed, so records need not wait for the
 * token.
 */
export interface SealStatement {
  readonly chain: string
  /**
   * Identifies the keeper that signs: 128 random bits that it drew, in hexadecimal. Versions 1 and 2 of the format have
   * none.
   */
  readonly machine?: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly covers: ChainPoint
  /**
   * Hex SHA-256 of the signature before this one in the chain, empty for its first. Version 1 of the format, which
   * token hosts signed for any worker, has none.
   */
  readonly after?: string | undefined
  readonly heads: Readonly<Record<string, ChainPoint>>
  /** Identifies the signing key: see `keyId`. */
  readonly key: string
}

/** A statement as signed bytes: one canonical JSON object. */
export interface SignedEnd {
  readonly text: string
  /** 64 bytes, r ‖ s. */
  readonly signature: Buffer
}

/** The end of a chain that is to be signed. */
export interface AuditEnd {
  readonly chain: string
  readonly covers: ChainPoint
  /** The last seals of other chains. */
  readonly heads: Readonly<Record<string, ChainPoint>>
  /** The last signature of this chain that its writer knows; undefined for a chain without one. */
  readonly previous: SignedEnd | undefined
}

/** The first 16 hex digits of the SHA-256 of the DER SubjectPublicKeyInfo. */
export function keyId(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'hex').slice(0, 16)
}

/** The bytes to sign: one JSON object with its members in this order, and the heads by name. */
export function statementText({ chain, machine, at, covers, after, heads, key }: SealStatement): string {
  const sorted = Object.keys(heads).toSorted()
  return JSON.stringify({
    v: versionOf(machine, after),
    chain,
    machine,
    at,
    covers: pointOf(covers),
    after,
    heads: Object.fromEntries(sorted.map((name) => [name, pointOf(heads[name])])),
    key,
  })
}

function versionOf(machine: string | undefined, after: string | undefined): number {
  if (machine !== undefined) return 3
  return after === undefined ? 1 : 2
}

/** Undefined when `text` is not, byte for byte, what `statementText` makes. */
export function parseStatement(text: string): SealStatement | undefined {
  try {
    const statement: SealStatement = JSON.parse(text)
    return statementText(statement) === text ? statement : undefined
  } catch {
    return undefined
  }
}

function pointOf(point: ChainPoint | undefined): ChainPoint {
  return { seq: Number(point?.seq), hash: String(point?.hash) }
}

/** The digest by which the next statement of the chain names this signature (`after`). */
export function digestOf(signed: SignedEnd | undefined): string {
  return signed === undefined ? '' : hash('sha256', signed.signature, 'hex')
}

/**
 * Whether this key signed the text (ECDSA P-256 over SHA-256, FIPS 186-5).
 * @param publicKey DER SubjectPublicKeyInfo
 */
export function isSignedBy(publicKey: Buffer, { text, signature }: SignedEnd): boolean {
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature)
}
