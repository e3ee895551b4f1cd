import { composeRecord } from './record-layouts.ts'
import type { SealedRecord } from './sealed-record.ts'

// What an authenticator signs over: 16 random bytes, the time of issue, and the keeper's seal of that time and of whom it
// was issued to. It is bound to no row: every keeper that shares the token knows it, and a stranger's costs none.

/** What the keeper seals: for a session, which is named by its identity, or for a login. */
export interface IssuedChallenge {
  readonly session: Buffer | undefined
  readonly issuedAt: number
  readonly seal: Buffer
}

const nonceBytes = 16
const timeBytes = 8

/** So long after its issue it is taken. */
export const challengeMs = 300_000

/** @param nonce 16 random bytes, so that no two are alike */
export function writeChallenge(nonce: Buffer, { issuedAt, seal }: Omit<IssuedChallenge, 'session'>): Buffer {
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(issuedAt))
  return Buffer.concat([nonce.subarray(0, nonceBytes), time, seal])
}

/** What the keeper must have sealed for this to be a challenge of that session, or of a login; undefined for no challenge. */
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

export const challengeRecord = (session: Buffer | undefined, issuedAt: number): Buffer =>
  composeRecord('passkey challenge', { session: session ?? null, issuedAt })
