import { Fault } from '../../fault.ts'
import type { SecretKeyKind } from '../../hsm/key-kind.ts'

export type CodeKind = 'totp' | 'hotp'

export const codeAlgorithms = ['sha1', 'sha256', 'sha512'] as const
export type CodeAlgorithm = (typeof codeAlgorithms)[number]

/** The parameters requested for a code device. Missing ones get the values that every app supports. */
export interface CodeRequest {
  readonly kind: CodeKind
  readonly algorithm?: CodeAlgorithm | undefined
  /** 6 to 8. */
  readonly digits?: number | undefined
  /** TOTP alone: 15 to 120 seconds. */
  readonly periodSeconds?: number | undefined
  /** HOTP only: the counter of a token that is in use already. */
  readonly counter?: number | undefined
  /** 16 to 64 bytes (RFC 4226 §4, R6). Without it a seed is made in the token. */
  readonly seed?: Buffer | undefined
}

export interface CodeParameters {
  readonly kind: CodeKind
  readonly algorithm: CodeAlgorithm
  readonly keyKind: SecretKeyKind
  readonly digits: 6 | 7 | 8
  readonly periodSeconds: number | null
  readonly counter: number
  /** The length of the hash in bytes (RFC 6238 §5.1, R6). */
  readonly seedBytes: number
}

const seedBytes: Readonly<Record<CodeAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 }
const [leastSeedBytes, mostSeedBytes] = [16, 64]
const [shortestPeriod, usualPeriod, longestPeriod] = [15, 30, 120]
/** Far more presses than a token can make. */
const largestCounter = 2 ** 32

/** @throws Fault `otp.device_invalid`, with the values that are possible */
export function codeParameters({ kind, algorithm = 'sha1', digits = 6, ...of }: CodeRequest): CodeParameters {
  if (digits !== 6 && digits !== 7 && digits !== 8)
    throw new Fault('otp.device_invalid', 'A code has 6, 7 or 8 digits.')
  if (of.seed !== undefined && (of.seed.length < leastSeedBytes || of.seed.length > mostSeedBytes))
    throw new Fault('otp.device_invalid', `A seed has ${leastSeedBytes} to ${mostSeedBytes} bytes.`)
  return {
    kind,
    algorithm,
    keyKind: `otp-hmac-${algorithm}`,
    digits,
    periodSeconds: kind === 'totp' ? periodOf(of) : noPeriod(of),
    counter: kind === 'hotp' ? startOf(of) : noStart(of),
    seedBytes: seedBytes[algorithm],
  }
}

function periodOf({ periodSeconds = usualPeriod }: Partial<CodeRequest>): number {
  if (Number.isInteger(periodSeconds) && periodSeconds >= shortestPeriod && periodSeconds <= longestPeriod)
    return periodSeconds
  throw new Fault('otp.device_invalid', `A period is ${shortestPeriod} to ${longestPeriod} seconds.`)
}

function noPeriod({ periodSeconds }: Partial<CodeRequest>): null {
  if (periodSeconds === undefined) return null
  throw new Fault('otp.device_invalid', 'HOTP has no period: it counts presses.')
}

function startOf({ counter = 0 }: Partial<CodeRequest>): number {
  if (Number.isInteger(counter) && counter >= 0 && counter <= largestCounter) return counter
  throw new Fault('otp.device_invalid', `A counter is 0 to ${largestCounter}.`)
}

function noStart({ counter }: Partial<CodeRequest>): 0 {
  if (counter === undefined) return 0
  throw new Fault('otp.device_invalid', 'TOTP has no counter: it goes by the clock.')
}
