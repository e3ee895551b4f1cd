import { counterToBytes, dynamicTruncate, truncateDigits } from '@otplib/core'
import { timingSafeEqual } from 'node:crypto'
import type { Hsm } from '../../hsm/hsm.ts'
import { deviceKey, type Advance, type OtpDevice } from './records.ts'

/** ASCII digits alone: nothing is trimmed, folded or guessed at. */
export const codeForm = /^\d{6,8}$/

export interface CodeRules {
  /** How many codes of a HOTP token may have been made and not used. */
  readonly hotpLookAhead: number
  /** How many steps the clock of a TOTP device may differ, either way, from where it was last seen. */
  readonly totpDriftSteps: number
  /** How far that may wander from our own clock, in steps. */
  readonly totpLargestDriftSteps: number
}

/** A code that would be right, and what its use leaves behind. */
export interface Candidate {
  readonly device: OtpDevice
  readonly movingFactor: number
  /** False for a time step at or before the last that was accepted: its code is worked out all the same, and never right. */
  readonly fresh: boolean
  readonly advance: Advance
}

/**
 * Every code that a HOTP or TOTP device may give at this moment (RFC 4226 §7.4, RFC 6238 §5.2 and §6). As many whatever was used before,
 * so that the time of a login tells nothing.
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

/** Whether a later step was accepted than the clock allows for: it has been set back since, or was wrong then. */
export function clockWentBack(device: OtpDevice, nowMs: number, rules: CodeRules): boolean {
  return device.counter > stepAt(device, nowMs) + driftOf(device, rules) + rules.totpDriftSteps
}

/** Whether `code` is the one of this moving factor. The HMAC is made in the token. */
export async function isCodeAt(
  hsm: Pick<Hsm, 'otpHmac'>,
  device: OtpDevice,
  movingFactor: number,
  code: string,
): Promise<boolean> {
  if (device.digits === null) throw new TypeError(`OTP device ${device.id} has no digits`)
  const mac = await hsm.otpHmac(deviceKey(device), counterToBytes(movingFactor))
  const expected = Buffer.from(truncateDigits(dynamicTruncate(mac), device.digits))
  const given = Buffer.from(code)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function stepAt(device: OtpDevice, nowMs: number): number {
  if (device.periodSeconds === null) throw new TypeError(`TOTP device ${device.id} has no period`)
  return Math.floor(nowMs / 1000 / device.periodSeconds)
}

// No seal covers the drift, so what the database says of it is held to the limit here as well.
const driftOf = (device: OtpDevice, rules: CodeRules): number => clamp(device.driftSteps, rules.totpLargestDriftSteps)

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value))
