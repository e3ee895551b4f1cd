import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { type ChainPoint, sha256 } from './line.ts'

/**
 * What the token signs: that a chain stands at `covers`, and where the seals of all other chains stood at the time.
 * The sequence number of the seal's own line is not signed, so records need not wait for the token.
 */
export interface SealStatement {
  readonly chain: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly covers: ChainPoint
  readonly heads: Readonly<Record<string, ChainPoint>>
  /** Which key signs: see `keyId`. */
  readonly key: string
}

export interface Seal {
  readonly statement: SealStatement
  /** The signed bytes. */
  readonly text: string
  /** 64 bytes, r ‖ s. */
  readonly signature: Buffer
}

/** A seal may stand at most this many lines behind the record that it covers. */
export const sealReach = 16_384

const sealShape = /^"seal":(\{.*\}),"sig":"([A-Za-z0-9+/]{86}==)"$/

/** The first 16 hex digits of the SHA-256 of the DER SubjectPublicKeyInfo. */
export function keyId(publicKey: Uint8Array): string {
  return sha256(publicKey).slice(0, 16)
}

/** The bytes to sign: one canonical JSON object. */
export function statementText({ chain, at, covers, heads, key }: SealStatement): string {
  const sorted = Object.keys(heads).toSorted()
  return JSON.stringify({
    v: 1,
    chain,
    at,
    covers: pointOf(covers),
    heads: Object.fromEntries(sorted.map((name) => [name, pointOf(heads[name])])),
    key,
  })
}

/** The body of the seal's line. */
export function sealBody(text: string, signature: Buffer): string {
  return `"seal":${text},"sig":"${signature.toString('base64')}"`
}

/** Undefined when `body` is not, byte for byte, what `sealBody` makes. Says nothing about the signature. */
export function parseSeal(body: string): Seal | undefined {
  const [, text, base64] = sealShape.exec(body) ?? []
  if (text === undefined || base64 === undefined) return undefined
  try {
    const statement: SealStatement = JSON.parse(text)
    const signature = Buffer.from(base64, 'base64')
    const canonical = statementText(statement) === text && signature.toString('base64') === base64
    return canonical ? { statement, text, signature } : undefined
  } catch {
    return undefined
  }
}

export interface SealVerifier {
  readonly keyId: string
  /** True when the key signed exactly this seal (ECDSA P-256 over SHA-256, FIPS 186-5). */
  verifies(seal: Seal): boolean
}

/** @param publicKey DER SubjectPublicKeyInfo. */
export function createSealVerifier(publicKey: Buffer): SealVerifier {
  const key: KeyObject = createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
  const id = keyId(publicKey)
  return {
    keyId: id,
    verifies: ({ statement, text, signature }) =>
      statement.key === id && verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
  }
}

function pointOf(point: ChainPoint | undefined): ChainPoint {
  return { seq: Number(point?.seq), hash: String(point?.hash) }
}

/** A point of a chain that the token sealed, and the body of the seal. */
export interface SealedHead extends ChainPoint {
  readonly line: string
}

/** True when the token sealed this head: an attacker who edits the registry cannot make one up. */
export function isGenuine(chain: string, head: SealedHead, verifier: SealVerifier): boolean {
  const seal = parseSeal(head.line)
  if (seal === undefined || seal.statement.chain !== chain) return false
  const { covers } = seal.statement
  return covers.seq === head.seq && covers.hash === head.hash && verifier.verifies(seal)
}
