import { timingSafeEqual } from 'node:crypto'
import { mayLogIn } from '../../access/capabilities.ts'
import { randomSessionToken, sessionTokenHash } from '../../access/session-token-form.ts'
import { Fault } from '../../fault.ts'
import type { BegunSession, LoginRequest, OnceShown, ShownFactor } from '../login-request.ts'
import { readCheck } from '../peppered-check.ts'
import { applicationKeyText, pepperedBytes } from '../peppered-text.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { OtpState } from '../otp-use.ts'
import { composeRecord, type FieldsOf, identityBytes } from '../record-layouts.ts'
import type { BegunSessions } from './begun-sessions.ts'
import type { OtpJudge } from './otp-judge.ts'
import type { PasskeyJudge } from './passkey-judge.ts'
import { type PassphraseJudge, peppered } from './passphrase-judge.ts'
import { committedShown, holdsFactor, type NewestRecords, shown } from './shown-record.ts'

export interface LoginsDependencies extends OnceJudges, NewestRecords {
  readonly passphrases: PassphraseJudge
  readonly begunSessions: Pick<BegunSessions, 'note'>
  readonly now: () => number
  /** `session.absoluteTimeoutMs` */
  readonly longestSessionMs: number
  /** `smartcard.enabled`: where it is off, a worker cannot claim to have seen a card. */
  readonly smartcards: boolean
}

/** Begins a session. There is no other way to begin one. @throws Fault `login.refused` */
export type LogIn = (request: LoginRequest) => BegunSession

export function createLogins(on: LoginsDependencies): LogIn {
  const { token, passphrases, begunSessions, now, longestSessionMs } = on

  return ({ applicationKey, applicationKeyText: text, user, hash, factor }) => {
    const key = applicationKey && committedShown(on, 'application key', applicationKey).fields
    const person = user && committedShown(on, 'user', user).fields
    const second = checkFactor(on, person, factor)
    // All checks are always made, so that the time does not reveal which one failed.
    const others = [
      key !== undefined && key.revokedAt === null,
      isApplicationKey(token, Buffer.from(text), key?.keyCheck ?? Buffer.alloc(pepperedBytes)),
      person !== undefined && mayLogIn(person.capabilities),
      second.isTheirs,
    ]
    // If any other check has failed, the answer does not depend on the pass phrase. The try is then not charged, so
    // that a stranger cannot use up the user's tries.
    const isElseRight = !others.includes(false)
    const isRight = passphrases.matches(person?.passphraseCheck, hash, isElseRight)
    if (key === undefined || person === undefined || !isElseRight || !isRight) throw new Fault('login.refused')
    const isCheckCurrent = passphrases.isCurrent(person.passphraseCheck)
    const sessionToken = randomSessionToken()
    const [identity, createdAt] = [random(token, identityBytes), now()]
    const expiresAt = createdAt + longestSessionMs
    const record = composeRecord('session', {
      identity,
      tokenHash: sessionTokenHash(sessionToken),
      user: person.identity,
      applicationKey: key.identity,
      recoveries: person.recoveries,
      certificate: second.certificate,
      createdAt,
      expiresAt,
    })
    begunSessions.note({ account: person.identity, identity, expiresAt })
    return { token: sessionToken, identity, seal: seal(token, record), createdAt, expiresAt, isCheckCurrent }
  }
}

function isApplicationKey(token: Token, text: Buffer, keyCheck: Buffer): boolean {
  const read = readCheck(keyCheck, pepperedBytes)
  const made = peppered(token, read?.version ?? 1, applicationKeyText(text))
  return read !== undefined && timingSafeEqual(made, read.rest)
}

/**
 * Uses the factor up if it is valid once, even if everything else is wrong. The user's record must name the device or
 * certificate. That a client proved in a TLS handshake to have the certificate's private key is the worker's claim.
 */
function checkFactor(
  { token, smartcards, ...judges }: LoginsDependencies,
  user: FieldsOf<'user'> | undefined,
  factor: ShownFactor,
): { readonly isTheirs: boolean; readonly certificate: string | null } {
  if (factor.certificate !== undefined) {
    const { fingerprint } = shown(token, 'user certificate', factor.certificate).fields
    const isTheirs = user !== undefined && holdsFactor(user, factor.certificate)
    return { isTheirs: smartcards && isTheirs, certificate: fingerprint }
  }
  return { isTheirs: usesUp(judges, user, factor, undefined), certificate: null }
}

/** The judges of second factors that are valid once. */
export interface OnceJudges {
  readonly otps: OtpJudge
  readonly passkeys: PasskeyJudge
}

/**
 * Whether the factor is a fresh one of this user; it is used up by this call. `session`: the session to which the
 * authenticator's challenge was issued.
 */
export function usesUp(
  { otps, passkeys }: OnceJudges,
  user: Pick<FieldsOf<'user'>, 'id' | 'factors'> | undefined,
  factor: OnceShown,
  session: Buffer | undefined,
): boolean {
  if ('passkey' in factor) return passkeys.use(user, factor.passkey, session)
  return otps.use(devicesHeldBy(user, factor.devices), factor.otp).outcome === 'good'
}

/** All of the devices, or none if any of them is not the holder's, or the holder may not log in. */
export const devicesOfHolder = (holder: FieldsOf<'user'>, devices: readonly OtpState[]): readonly OtpState[] =>
  mayLogIn(holder.capabilities) ? devicesHeldBy(holder, devices) : []

/** All of the devices, or none if any of them is not the user's. */
const devicesHeldBy = (
  user: Pick<FieldsOf<'user'>, 'id' | 'factors'> | undefined,
  devices: readonly OtpState[],
): readonly OtpState[] =>
  user !== undefined && devices.every(({ device }) => holdsFactor(user, device)) ? devices : []
