import { createPublicKey, verify, type KeyObject } from 'node:crypto'
import { keyId, parseStatement, type ChainPoint, type SealStatement, type SignedEnd } from '../hsm/audit-end.ts'

/** A signed end of a chain, read from its line. */
export interface Seal extends SignedEnd {
  readonly statement: SealStatement
}

/** A seal may stand at most this many lines behind the record that it covers. */
export const sealReach = 16_384

const sealShape = /^"seal":(\{.*\}),"sig":"([A-Za-z0-9+/]{86}==)"$/

/** The body of the seal's line. */
export function sealBody({ text, signature }: SignedEnd): string {
  return `"seal":${text},"sig":"${signature.toString('base64')}"`
}

/** Undefined when `body` is not, byte for byte, what `sealBody` makes. Says nothing about the signature. */
export function parseSeal(body: string): Seal | undefined {
  const [, text, base64] = sealShape.exec(body) ?? []
  if (text === undefined || base64 === undefined) return undefined
  const statement = parseStatement(text)
  const signature = Buffer.from(base64, 'base64')
  return statement === undefined || signature.toString('base64') !== base64 ? undefined : { statement, text, signature }
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
