import { timingSafeEqual } from 'node:crypto'
import { generate, HMACError, type CryptoPlugin } from 'otplib'
import type { Hsm } from '../../hsm/hsm.ts'
import { deviceKey, type Advance, type OtpDevice } from './records.ts'

/** ASCII digits alone: nothing is trimmed or folded. */
export const codeForm = /^\d{6,8}$/

export interface CodeRules {
  /** How many codes of a HOTP token may have been made and not used. */
  readonly hotpLookAhead: number
  /** How many steps the clock of a TOTP device may differ, either way, from where it was last seen. */
  readonly totpDriftSteps: number
  /** How far that may wander from our own clock, in steps. */
  readonly totpLargestDriftSteps: number
}

/** A code that would be right, and the state of the device after its use. */
export interface Candidate {
  readonly device: OtpDevice
  readonly movingFactor: number
  /**
   * False for a time step at or before the last accepted one: its code is computed all the same, and never accepted.
   */
  readonly fresh: boolean
  readonly advance: Advance
}

/**
 * Every code that a HOTP or TOTP device may give at this moment (RFC 4226 §7.4, RFC 6238 §5.2 and §6). Their number
 * does not depend on what was used before, so the duration of a login reveals nothing.
 */
export function candidatesOf(device: OtpDevice, nowMs: number, rules: CodeRules): Candidate[] {
  return device.kind === 'hotp' ? hotpCandidates(device, nowMs, rules) : totpCandidates(device, nowMs, rules)
}

function hotpCandidates(device: OtpDevice, nowMs: number, { hotpLookAhead }: CodeRules): Candidate[] {
  return Array.from({ length: hotpLookAhead + 1 }, (_, ahead) => ({
    device,
    movingFactor: device.counter + ahead,
    fresh: true,
    advance: { counter: device.counter + ahead + 1, driftSteps: 0, ticks: null, usedAt: nowMs },
  }))
}

function totpCandidates(device: OtpDevice, nowMs: number, rules: CodeRules): Candidate[] {
  const current = stepAt(device, nowMs)
  const first = current + driftOf(device, rules) - rules.totpDriftSteps
  return Array.from({ length: 2 * rules.totpDriftSteps + 1 }, (_, offset) => {
    const step = Math.max(0, first + offset)
    const driftSteps = clamp(step - current, rules.totpLargestDriftSteps)
    const advance = { counter: step, driftSteps, ticks: null, usedAt: nowMs }
    return { device, movingFactor: step, fresh: step > device.counter, advance }
  })
}

/** Whether a later step was accepted than the clock allows for: the clock was set back since, or was wrong then. */
export function clockWentBack(device: OtpDevice, nowMs: number, rules: CodeRules): boolean {
  return device.counter > stepAt(device, nowMs) + driftOf(device, rules) + rules.totpDriftSteps
}

/**
 * Whether `code` is the one of this moving factor (RFC 4226 §5.2: a counter or a time step); compared in constant time.
 */
export async function isCodeAt(
  hsm: Pick<Hsm, 'otpHmac'>,
  device: OtpDevice,
  movingFactor: number,
  code: string,
): Promise<boolean> {
  const expected = Buffer.from(await codeAt(hsm, device, movingFactor))
  const given = Buffer.from(code)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** otplib insists on a secret of at least 16 bytes. This one is never used: the seed never leaves the token. */
const unusedSecret = new Uint8Array(16)

/** The code by otplib, with an HMAC of the token. See `docs/decisions/0020-otplib-generates-we-compare.md`. */
async function codeAt(hsm: Pick<Hsm, 'otpHmac'>, device: OtpDevice, movingFactor: number): Promise<string> {
  const { digits } = device
  if (digits !== 6 && digits !== 7 && digits !== 8) throw new TypeError(`OTP device ${device.id} has no digits`)
  const crypto: CryptoPlugin = {
    name: 'token',
    hmac: (_algorithm, _secret, data) => hsm.otpHmac(deviceKey(device), data),
    randomBytes: unsupported,
    constantTimeEqual: unsupported,
  }
  try {
    // TOTP is HOTP with the time step for a counter (RFC 6238 §4.2); the step is ours, because it follows the drift.
    return await generate({ strategy: 'hotp', secret: unusedSecret, crypto, counter: movingFactor, digits })
  } catch (error) {
    // otplib wraps a fault of the token, which has its own meaning for the caller.
    throw error instanceof HMACError ? error.cause : error
  }
}

function unsupported(): never {
  throw new TypeError('the token computes HMACs of codes and nothing else')
}

function stepAt(device: OtpDevice, nowMs: number): number {
  if (device.periodSeconds === null) throw new TypeError(`TOTP device ${device.id} has no period`)
  return Math.floor(nowMs / 1000 / device.periodSeconds)
}

// The seal of a device does not cover the drift, so the value from the database is clamped here as well.
const driftOf = (device: OtpDevice, rules: CodeRules): number => clamp(device.driftSteps, rules.totpLargestDriftSteps)

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value))
