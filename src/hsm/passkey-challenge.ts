import { composeRecord } from './record-layouts.ts'
import type { SealedRecord } from './sealed-record.ts'

// A challenge that authenticators sign: 16 random bytes, the time of issue (8 bytes), and the keeper's seal over that
// time and the session (32 bytes). It is stored nowhere: every keeper that shares the token can verify it, and
// challenges for clients without a session take no memory.

/** An issued challenge. `session`: the identity of the session that it is for; undefined for a login. */
export interface IssuedChallenge {
  readonly session: Buffer | undefined
  readonly issuedAt: number
  readonly seal: Buffer
}

const nonceBytes = 16
const timeBytes = 8

/** How long a challenge is valid, in milliseconds. */
export const challengeMs = 300_000

/** @param nonce 16 random bytes, so that no two challenges are equal */
export function writeChallenge(nonce: Buffer, { issuedAt, seal }: Omit<IssuedChallenge, 'session'>): Buffer {
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(issuedAt))
  return Buffer.concat([nonce.subarray(0, nonceBytes), time, seal])
}

/**
 * The time of issue, and the record over which the challenge must have the keeper's seal if it is for this session, or
 * for a login (undefined). Does not verify the seal. Undefined for bytes that are no challenge.
 */
export function readChallenge(
  challenge: Buffer,
  session: Buffer | undefined,
): { readonly issuedAt: number; readonly sealed: SealedRecord } | undefined {
  if (challenge.length <= nonceBytes + timeBytes) return undefined
  const issuedAt = Number(challenge.readBigUInt64BE(nonceBytes))
  if (!Number.isSafeInteger(issuedAt)) return undefined
  const seal = challenge.subarray(nonceBytes + timeBytes)
  return { issuedAt, sealed: { record: challengeRecord(session, issuedAt), seal } }
}

/** The record that the keeper's seal of a challenge covers. @param session identity of the session; undefined for a login */
export const challengeRecord = (session: Buffer | undefined, issuedAt: number): Buffer =>
  composeRecord('passkey challenge', { session: session ?? null, issuedAt })
