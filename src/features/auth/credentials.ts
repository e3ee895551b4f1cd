import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { codeForm } from '../otp/codes.ts'
import type { OtpKind } from '../otp/records.ts'
import { presentedPasskey, type passkeyField, type PresentedPasskey } from '../passkeys/presented-passkey.ts'
import type { SealedRecord } from '../../hsm/hsm.ts'
import type { Tx } from '../../store/store.ts'
import type { Sentences } from './login-advice.ts'
import { applicationKeyLength } from './application-key.ts'

/** What `GET /authinfo/logintypes` lists. */
export type LoginType = OtpKind | 'smartcard' | 'webauthn'

export type Credentials = SecondFactor & {
  readonly passphrase: string
  readonly applicationKey: string
}

/** A second factor, shown beside the pass phrase. */
export type SecondFactor = OnceShownFactor | { readonly otpKind: 'smartcard'; readonly card: PresentedCard | undefined }

/** The second factors that are valid once: one-time passwords and passkey assertions. */
export type OnceShownFactor =
  | { readonly otpKind: OtpKind; readonly otp: string }
  | { readonly otpKind: 'webauthn'; readonly passkey: PresentedPasskey }

/** The smartcard of a login, valid at this moment. */
export interface PresentedCard {
  readonly userId: number
  readonly fingerprint: string
  /** The record of the user's certificate, as the keeper sealed it. */
  readonly sealed: SealedRecord
  readonly warnings: Sentences
  /** Whether the user still has the card at a later moment. */
  readonly isStillHeld: (tx: Tx) => Promise<boolean>
}

/** A pass phrase, an application key or a one-time password as it was sent. */
export const secret = z.string().max(1024)

/** The second factor of a call, for the documentation. */
export const otpWords =
  'The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a hardware token types. Each is good once.'

const loginTypeWords =
  'Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`, and `smc_rest` is `smartcard`, which takes the client certificate of the TLS connection in place of `otp`; `webauthn` takes `passkey`.'

/** Every name of a login type that clients used by people send. */
const loginTypeNames = ['totp', 'hwkey_otp', 'yubikey_otp', 'smartcard', 'smc_rest', 'webauthn'] as const
export const loginTypeField = z.enum(loginTypeNames).describe(loginTypeWords)

/** The login types whose factor is valid once, for calls that accept no other. */
export const onceTypeField = z
  .enum(['totp', 'hwkey_otp', 'yubikey_otp', 'webauthn'])
  .describe(
    'Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn` takes `passkey`.',
  )

/**
 * The login types of service accounts. `GET /authinfo/logintypes` does not list them, because clients used by people
 * read it.
 */
export const serviceLoginTypes = ['service_certificate', 'service_jwt', 'service_federated', 'service_static'] as const
export type ServiceLoginType = (typeof serviceLoginTypes)[number]
export const isServiceLoginType = (name: string | undefined): name is ServiceLoginType =>
  serviceLoginTypes.some((one) => one === name)
/** Every name of a login type. */
export const anyLoginTypeField = z
  .enum([...loginTypeNames, ...serviceLoginTypes])
  .describe(
    `${loginTypeWords} Service accounts: \`service_certificate\` with the client certificate of the TLS connection, \`service_jwt\` and \`service_federated\` with \`assertion\`, \`service_static\` with \`key\`.`,
  )

/** The two names of one login type; clients send either. */
export const smartcardTypes = ['smartcard', 'smc_rest']

export const isForSmartcard = (loginType: string | undefined): boolean => smartcardTypes.includes(loginType ?? '')

/** Length in characters of a hardware token's OTP. Its 128 bits cannot be guessed, unlike six to eight digits. */
export const hardwareOtpLength = 44
const codeLengths = [6, 7, 8]

/**
 * All ways to split form A, `keys` = pass phrase ‖ application key ‖ OTP (spec: Login), reading from the right. Which
 * split is meant is decided by which application key exists; where the client also sends `applicationKey`, only the
 * splits that contain it remain.
 */
export function readKeys(
  keys: string,
  applicationKey: string | undefined,
  loginType: string | undefined,
): Credentials[] {
  return [hardwareOtpLength, ...codeLengths]
    .filter((otpLength) => keys.length > otpLength + applicationKeyLength)
    .map((otpLength) => {
      const otpStart = keys.length - otpLength
      const keyStart = otpStart - applicationKeyLength
      const otp = keys.slice(otpStart)
      return {
        passphrase: keys.slice(0, keyStart),
        applicationKey: keys.slice(keyStart, otpStart),
        otp,
        otpKind: otpKindOf(otp, loginType),
      }
    })
    .filter((credentials) => applicationKey === undefined || credentials.applicationKey === applicationKey)
}

/** The second factor that the login type names; without a login type the length of the OTP decides. */
export function otpKindOf(otp: string, loginType: string | undefined): OtpKind {
  if (loginType === 'totp') return 'totp'
  if (loginType === 'hwkey_otp' || loginType === 'yubikey_otp') return 'hwkey_otp'
  return otp.length === hardwareOtpLength ? 'hwkey_otp' : 'totp'
}

/**
 * Whether an enabled login type takes this second factor. A code of 6 to 8 digits may be of an app or of an HOTP token,
 * whatever the client calls it.
 */
export function isEnabled(enabledTypes: readonly LoginType[], claim: SecondFactor): boolean {
  const types: readonly LoginType[] =
    'otp' in claim && codeForm.test(claim.otp) ? ['totp', 'hwkey_otp'] : [claim.otpKind]
  return types.some((type) => enabledTypes.includes(type))
}

/** The members of a call that shows a second factor which is valid once. */
interface OnceMembers {
  readonly logintype?: string | undefined
  readonly otp?: string | undefined
  readonly passkey?: z.infer<typeof passkeyField> | undefined
}

/**
 * The second factor in these members.
 * @param withoutOtp says what to send where it is an OTP, which is missing
 * @throws Fault `request.invalid`
 */
export function onceFactorIn(sent: OnceMembers, withoutOtp: string): OnceShownFactor {
  const { logintype, otp, passkey } = sent
  if (isForPasskey(sent)) return passkeyFactor(passkey)
  if (otp === undefined) throw new Fault('request.invalid', withoutOtp)
  return { otp, otpKind: otpKindOf(otp, logintype) }
}

/** Whether the factor is a passkey: by the login type, or without one by the members sent. */
export function isForPasskey({ logintype, otp, passkey }: OnceMembers): boolean {
  return logintype === 'webauthn' || (logintype === undefined && otp === undefined && passkey !== undefined)
}

/** @throws Fault `request.invalid` where no assertion was sent */
export function passkeyFactor(passkey: z.infer<typeof passkeyField> | undefined): OnceShownFactor {
  if (passkey === undefined)
    throw new Fault(
      'request.invalid',
      'passkey is missing: the assertion of a passkey, which logintype webauthn needs.',
    )
  return { otpKind: 'webauthn', passkey: presentedPasskey(passkey) }
}
