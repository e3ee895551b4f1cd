import { createPublicKey, verify } from 'node:crypto'
import { keyId, parseStatement, type ChainPoint, type SealStatement, type SignedEnd } from '../hsm/audit-end.ts'
import { isWithin, keysFrom, type TrailKeys } from '../hsm/audit-succession.ts'
import { parseLine } from './line.ts'

/** A signed end of a chain, parsed from its line. */
export interface Seal extends SignedEnd {
  readonly statement: SealStatement
}

/** A seal is at most this many lines after the record that it covers. */
export const sealReach = 16_384

const sealShape = /^"seal":(\{.*\}),"sig":"([A-Za-z0-9+/]{86}==)"$/

/** The body of the seal's line. */
export function sealBody({ text, signature }: SignedEnd): string {
  return `"seal":${text},"sig":"${signature.toString('base64')}"`
}

/** Parses a seal; undefined if `body` is not byte for byte what `sealBody` makes. Does not check the signature. */
export function parseSeal(body: string): Seal | undefined {
  const [, text, base64] = sealShape.exec(body) ?? []
  if (text === undefined || base64 === undefined) return undefined
  const statement = parseStatement(text)
  const signature = Buffer.from(base64, 'base64')
  return statement === undefined || signature.toString('base64') !== base64 ? undefined : { statement, text, signature }
}

/** The seal in a line without its newline; undefined for a line of another kind. */
export function sealIn(text: string): Seal | undefined {
  const line = parseLine(text)
  return line?.type === 'seal' ? parseSeal(line.body) : undefined
}

export interface SealVerifier {
  /** The id of the newest key. */
  readonly keyId: string
  /** Whether this key belongs to the trail. */
  knows(keyId: string): boolean
  /** The last records that earlier keys signed, as stated when those keys ended. */
  readonly ends: readonly [chain: string, point: ChainPoint][]
  /**
   * True if a key of the trail signed exactly this seal before that key ended (ECDSA P-256 over SHA-256, FIPS 186-5).
   */
  verifies(seal: Seal): boolean
}

/** Creates a verifier from one key of the trail and the successions that lead to its other keys. */
export function createSealVerifier(trail: TrailKeys): SealVerifier {
  const keys = new Map(
    [...keysFrom(trail)].map(([id, { publicKey: der, until }]) => [
      id,
      { key: createPublicKey({ key: der, format: 'der', type: 'spki' }), until },
    ]),
  )
  return {
    keyId: [...keys.keys()].at(-1) ?? keyId(trail.publicKey),
    knows: (id) => keys.has(id),
    ends: [...keys.values()].flatMap(({ until }) => Object.entries(until?.heads ?? {})),
    verifies({ statement, text, signature }) {
      const found = keys.get(statement.key)
      if (found === undefined || !isWithin(found.until, statement)) return false
      return verify('sha256', Buffer.from(text), { key: found.key, dsaEncoding: 'ieee-p1363' }, signature)
    },
  }
}

/** A sealed record of a chain, and the body of its seal. */
export interface SealedHead extends ChainPoint {
  readonly line: string
}

/** True if the token sealed this head. An attacker who edits the registry cannot forge one. */
export function isGenuine(chain: string, head: SealedHead, verifier: SealVerifier): boolean {
  const seal = parseSeal(head.line)
  if (seal === undefined || seal.statement.chain !== chain) return false
  const { covers } = seal.statement
  return covers.seq === head.seq && covers.hash === head.hash && verifier.verifies(seal)
}
