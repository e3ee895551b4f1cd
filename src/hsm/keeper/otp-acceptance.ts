import { Fault } from '../../fault.ts'
import { validationMac } from '../pkcs11/otp-operations.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { acceptance, modhexOf, readValidationAnswer } from '../validation-text.ts'
import { stateIn } from './otp-fields.ts'
import { devicesOfHolder } from './logins.ts'
import type { OtpJudge } from './otp-judge.ts'
import { type NewestRecords, committedShown, shown } from './shown-record.ts'

/** See `LoginPort.acceptOtp`: uses an OTP of its holder up, for one acceptance of it. */
export function acceptOtp(on: NewestRecords, otps: OtpJudge, fields: RequestFields): Uint8Array[] {
  const { token } = on
  const client = fields.sealed()
  const state = stateIn(fields)
  const holder = committedShown(on, 'user', fields.sealed()).fields
  const [block, answer] = [fields.bytes(), fields.bytes()]
  const { revokedAt } = committedShown(on, 'validation client', client).fields
  const { publicId } = shown(token, 'otp', state.device).fields
  const members = readValidationAnswer(answer.toString())
  const isOfOtp = publicId !== null && members?.get('otp')?.toLowerCase() === publicId + modhexOf(block)
  if (revokedAt !== null || members?.get('status') !== acceptance || !isOfOtp)
    throw new Fault(
      'hsm.rejected',
      'This is not an acceptance of that one-time password for a client of the validator.',
    )
  const { outcome } = otps.use(devicesOfHolder(holder, [state]), { block })
  return [outcome === 'good' ? validationMac(token, client, answer) : Buffer.alloc(0)]
}
