import { timingSafeEqual } from 'node:crypto'

export interface CodeRules {
  /** How many codes of a HOTP token may have been made without being used. */
  readonly hotpLookAhead: number
  /** How many steps the clock of a TOTP device may differ, either way, from where it was last seen. */
  readonly totpDriftSteps: number
  /** How far that may wander from our own clock, in steps. */
  readonly totpLargestDriftSteps: number
}

/** A device that makes codes. */
export interface CodeDevice {
  /** Null for HOTP. */
  readonly periodSeconds: number | null
  /** See `OtpState`; not behind the last use that the keeper knows. */
  readonly counter: number
  readonly driftSteps: number
}

/** A code that would be right, and the state of the device after its use. */
export interface Candidate {
  /** Of which the code is made (RFC 4226 §5.2): a counter or a time step. */
  readonly movingFactor: number
  /**
   * False for a time step at or before the last accepted one: its code is computed all the same, and never accepted.
   */
  readonly isFresh: boolean
  readonly counter: number
  readonly driftSteps: number
}

/**
 * Every code that a HOTP or TOTP device may give at this moment (RFC 4226 §7.4, RFC 6238 §5.2 and §6). Their number
 * does not depend on what was used before, so the duration of a login reveals nothing.
 */
export function candidatesOf(device: CodeDevice, nowMs: number, rules: CodeRules): Candidate[] {
  return device.periodSeconds === null
    ? hotpCandidates(device.counter, rules.hotpLookAhead + 1)
    : totpCandidates(device, Math.floor(nowMs / 1000 / device.periodSeconds), rules)
}

/** So many from this counter on. */
export const hotpCandidates = (counter: number, count: number): Candidate[] =>
  Array.from({ length: count }, (_, ahead) => ({
    movingFactor: counter + ahead,
    isFresh: true,
    counter: counter + ahead + 1,
    driftSteps: 0,
  }))

function totpCandidates({ counter, driftSteps }: CodeDevice, current: number, rules: CodeRules): Candidate[] {
  const { totpDriftSteps, totpLargestDriftSteps: most } = rules
  // The seal of a device does not cover the drift, so the value from the database is clamped here as well.
  const first = current + clamp(driftSteps, most) - totpDriftSteps
  return Array.from({ length: 2 * totpDriftSteps + 1 }, (_, offset) => {
    const step = Math.max(0, first + offset)
    return { movingFactor: step, isFresh: step > counter, counter: step, driftSteps: clamp(step - current, most) }
  })
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value))

/** Whether the code is the one of this HMAC (RFC 4226 §5.3, "dynamic truncation"); compared in constant time. */
export function isCodeOf(mac: Buffer, digits: number, code: string): boolean {
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  const [expected, given] = [Buffer.from(String(number).padStart(digits, '0')), Buffer.from(code)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
