import { Fault } from '../../fault.ts'
import type { OnceShown } from '../login-request.ts'
import { mostOtpDevices, type OtpState, type OtpVerdict, type ShownOtp } from '../otp-use.ts'
import type { RequestFields } from '../server/request-fields.ts'

// The form of second factors that are valid once, in requests and replies.

export function statesIn(fields: RequestFields): OtpState[] {
  const count = fields.integer()
  if (!Number.isInteger(count) || count < 0 || count > mostOtpDevices)
    throw new Fault('hsm.rejected', `At most ${mostOtpDevices} devices are looked at together.`)
  return Array.from({ length: count }, () => stateIn(fields))
}

export function stateIn(fields: RequestFields): OtpState {
  const device = fields.sealed()
  const [counter, driftSteps] = [fields.integer(), fields.integer()]
  if (!Number.isSafeInteger(counter) || counter < 0 || !Number.isSafeInteger(driftSteps))
    throw new Fault('hsm.rejected', 'The state of a device is made of numbers.')
  return { device, counter, driftSteps }
}

const onceKinds = ['otp', 'passkey'] as const

export function onceIn(fields: RequestFields): OnceShown {
  if (fields.oneOf(onceKinds) === 'otp')
    return { certificate: undefined, devices: statesIn(fields), otp: shownIn(fields) }
  const [passkey, signCount] = [fields.optionalSealed(), fields.integer()]
  if (!Number.isSafeInteger(signCount) || signCount < 0)
    throw new Fault('hsm.rejected', 'The count of an authenticator is a number.')
  const assertion = { clientData: fields.bytes(), authenticatorData: fields.bytes(), signature: fields.bytes() }
  return { certificate: undefined, passkey: { passkey, signCount, assertion } }
}

const blockBytes = 16

export function shownIn(fields: RequestFields): ShownOtp {
  const otp = fields.bytes()
  return otp.length === blockBytes ? { block: otp } : { code: codeOf(otp.toString()) }
}

export function codeOf(text: string): string {
  if (!/^\d{6,8}$/.test(text)) throw new Fault('hsm.rejected', 'This is not a one-time password.')
  return text
}

export function verdictFields({ outcome, at, counter, driftSteps, reading }: OtpVerdict): Buffer[] {
  return [...[outcome, at, counter, driftSteps].map((part) => Buffer.from(String(part))), reading]
}
