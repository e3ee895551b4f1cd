import { timingSafeEqual } from 'node:crypto'

export interface CodeRules {
  /** How many unused codes of a HOTP token are looked ahead. */
  readonly hotpLookAhead: number
  /** How many time steps a TOTP device may deviate, either way, from its last known deviation. */
  readonly totpDriftSteps: number
  /** How far the last known deviation itself may be from our clock, in time steps. */
  readonly totpLargestDriftSteps: number
}

/** A device that makes codes of digits. */
export interface CodeDevice {
  /** Null for HOTP. */
  readonly periodSeconds: number | null
  /** See `OtpState`. At least the counter of the last use that the keeper knows. */
  readonly counter: number
  readonly driftSteps: number
}

/** A code that would be valid, and the state of the device after its use. */
export interface Candidate {
  /** The input of the code (RFC 4226 §5.2): a counter or a time step. */
  readonly movingFactor: number
  /** False for a time step up to the last accepted one. Its code is computed all the same, but never accepted. */
  readonly isFresh: boolean
  readonly counter: number
  readonly driftSteps: number
}

/**
 * All codes that a HOTP or TOTP device may show at this moment (RFC 4226 §7.4, RFC 6238 §5.2 and §6). Their number does
 * not depend on earlier uses, so that the duration of a login reveals nothing.
 */
export function candidatesOf(device: CodeDevice, nowMs: number, rules: CodeRules): Candidate[] {
  return device.periodSeconds === null
    ? hotpCandidates(device.counter, rules.hotpLookAhead + 1)
    : totpCandidates(device, Math.floor(nowMs / 1000 / device.periodSeconds), rules)
}

/** `count` candidates from this counter on. */
export const hotpCandidates = (counter: number, count: number): Candidate[] =>
  Array.from({ length: count }, (_, ahead) => ({
    movingFactor: counter + ahead,
    isFresh: true,
    counter: counter + ahead + 1,
    driftSteps: 0,
  }))

/** Number of candidates of a TOTP device: the steps around its last known deviation, and our own. */
export const totpCandidateCount = ({ totpDriftSteps }: CodeRules): number => 2 * totpDriftSteps + 2

/**
 * Our own step is always among them: when its clock or ours is set right, a device jumps there from its last known
 * deviation, and nothing but an accepted code would ever change that.
 */
function totpCandidates({ counter, driftSteps }: CodeDevice, current: number, rules: CodeRules): Candidate[] {
  const { totpDriftSteps, totpLargestDriftSteps: most } = rules
  // The seal of a device does not cover the drift, so the value from the database is clamped here as well.
  const first = current + clamp(driftSteps, most) - totpDriftSteps
  return Array.from({ length: totpCandidateCount(rules) }, (_, offset) => {
    const step = Math.max(0, offset === 0 ? current : first + offset - 1)
    return { movingFactor: step, isFresh: step > counter, counter: step, driftSteps: clamp(step - current, most) }
  })
}

const clamp = (value: number, most: number): number => Math.max(-most, Math.min(most, value))

/** Whether the code is the one of this HMAC (RFC 4226 §5.3, "dynamic truncation"). Compares in constant time. */
export function isCodeOf(mac: Buffer, digits: number, code: string): boolean {
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits
  const [expected, given] = [Buffer.from(String(number).padStart(digits, '0')), Buffer.from(code)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
