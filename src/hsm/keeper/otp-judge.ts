import { Fault, isFault } from '../../fault.ts'
import type { OtpState, OtpVerdict, ShownOtp } from '../otp-use.ts'
import { openDevice, type OpenDevice, openOtpBlock, otpHmac } from '../pkcs11/otp-operations.ts'
import { newestPepper, pepper } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { paddingText } from '../peppered-text.ts'
import {
  type Candidate,
  candidatesOf,
  type CodeRules,
  hotpCandidates,
  isCodeOf,
  totpCandidateCount,
} from './otp-candidates.ts'
import type { TryLimit } from './try-limit.ts'
import { deviceOf, type UsedOtps } from './used-otps.ts'

export interface OtpRules extends CodeRules {
  readonly hotpResyncWindow: number
}

/** Judges one-time passwords; see the port (`hsm.ts`). */
export interface OtpJudge {
  check(devices: readonly OtpState[], otp: ShownOtp): OtpVerdict
  use(devices: readonly OtpState[], otp: ShownOtp): OtpVerdict
  resynchronise(device: OtpState, codes: readonly [string, string]): number | undefined
  /** Marks all OTPs up to this counter as used, for the operator; false for a device with a broken seal. */
  raise(device: OtpState): boolean
}

export interface OtpJudgeDependencies {
  readonly token: Token
  readonly used: UsedOtps
  readonly tries: TryLimit
  readonly rules: OtpRules
  readonly now: () => number
}

interface Found extends OtpVerdict {
  readonly subject: Buffer
}

const nothing = Buffer.alloc(0)
const wrong: OtpVerdict = { outcome: 'wrong', at: -1, counter: 0, driftSteps: 0, reading: nothing }
/**
 * Wrong tries of a code without a device are charged to this, so that the work does not reveal whether a user exists.
 */
const nobody = Buffer.from('no device')

export function createOtpJudge(dependencies: OtpJudgeDependencies): OtpJudge {
  const { token, used } = dependencies
  const findCode = createCodeSearch(dependencies)

  /** The counter that an OTP has to exceed: that of the database, or of a later use here. */
  const floorOf = (device: OpenDevice, counter: number): number => Math.max(counter, used.of(deviceOf(device)))

  function findBlock(states: readonly OtpState[], block: Buffer): Found | undefined {
    const [state] = states
    if (state === undefined) {
      // As many as a known device takes: for its seal, the block and the private id.
      pad(token, 3)
      return undefined
    }
    const device = openDevice(token, state.device)
    const reading = openOtpBlock(token, device, block)
    if (reading === undefined) return undefined
    const counter = counterOf(reading)
    const outcome = counter > floorOf(device, state.counter) ? 'good' : 'used'
    return { outcome, at: 0, counter, driftSteps: 0, reading, subject: deviceOf(device) }
  }

  const find = (states: readonly OtpState[], otp: ShownOtp): Found | undefined =>
    'block' in otp ? findBlock(states, otp.block) : findCode(states, otp.code)

  return {
    check: (states, otp) => find(states, otp) ?? wrong,
    use(states, otp) {
      const found = find(states, otp)
      if (found?.outcome !== 'good') return found ?? wrong
      return used.advance(found.subject, found.counter) ? found : { ...found, outcome: 'used' }
    },
    resynchronise: createResynchronisation(dependencies, floorOf),
    raise({ device, counter }) {
      try {
        used.advance(deviceOf(openDevice(token, device)), counter)
        return true
      } catch (error) {
        if (isFault(error, 'hsm.seal_broken')) return false
        throw error
      }
    },
  }
}

/** Tries a code on every device, even after a match, so that the duration does not reveal which one matched. */
function createCodeSearch({ token, used, tries, rules, now }: OtpJudgeDependencies) {
  /** Number of token operations for a user with one authenticator app. */
  const usualCandidates = totpCandidateCount(rules)

  return (states: readonly OtpState[], code: string): Found | undefined => {
    const all = states.map(({ device, counter, driftSteps }, at) => {
      const opened = openDevice(token, device)
      const subject = deviceOf(opened)
      const state = { ...opened, driftSteps, counter: Math.max(counter, used.of(subject)) }
      const candidates = candidatesOf(state, now(), rules)
      return { opened, subject, at, candidates, isAllowed: tries.allows(subject) }
    })
    // Once each: a worker may show a device several times, with other counters or drifts, and a try would be many.
    const devices = all.filter(({ subject }, at) => all.findIndex((one) => one.subject.equals(subject)) === at)
    let found: Found | undefined
    let candidatesTried = 0
    for (const { opened, subject, at, candidates, isAllowed } of devices)
      for (const candidate of candidates) {
        candidatesTried += 1
        if (!isCodeAt(token, opened, candidate, code) || !candidate.isFresh || !isAllowed) continue
        const { counter, driftSteps } = candidate
        found ??= { outcome: 'good', at, counter, driftSteps, reading: nothing, subject }
      }
    pad(token, usualCandidates - candidatesTried)
    // Charged even if the pass phrase is wrong as well; otherwise pairs of a code and a pass phrase could be tried
    // without limit.
    for (const { subject } of devices) tries.note(subject, found === undefined)
    if (devices.length === 0) tries.note(nobody, false)
    return found
  }
}

function createResynchronisation(
  { token, tries, rules }: OtpJudgeDependencies,
  floorOf: (device: OpenDevice, counter: number) => number,
): OtpJudge['resynchronise'] {
  return (state, [first, second]) => {
    const device = openDevice(token, state.device)
    if (device.device !== 'hotp') throw new Fault('hsm.rejected', 'Only a HOTP token is resynchronised.')
    const subject = deviceOf(device)
    const candidates = hotpCandidates(floorOf(device, state.counter), rules.hotpResyncWindow + 1)
    const right = candidates.map((candidate) => isCodeAt(token, device, candidate, first))
    const after = candidates.find(
      (candidate, index) => index > 0 && right[index - 1] === true && isCodeAt(token, device, candidate, second),
    )
    const isRight = after !== undefined && tries.allows(subject)
    tries.note(subject, !isRight)
    return isRight ? after.counter : undefined
  }
}

function isCodeAt(token: Token, device: OpenDevice, { movingFactor }: Candidate, code: string): boolean {
  if (device.digits === null) throw new Fault('hsm.rejected', 'A device without digits makes no codes.')
  return isCodeOf(otpHmac(token, device, movingFactor), device.digits, code)
}

/** Bit 15 of the use counter says that caps lock was on. */
const counterOf = (reading: Buffer): number => ((reading.readUInt16LE(0) & 0x7fff) << 8) | reading.readUInt8(5)

/** Constant-time padding: token operations without a result. */
function pad(token: Token, operations: number): void {
  for (let left = operations; left > 0; left--) pepper(token, newestPepper(token), paddingText)
}
