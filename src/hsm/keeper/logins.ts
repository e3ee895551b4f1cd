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
  /** `smartcard.enabled`: where it is off, no worker can say that it has seen a card. */
  readonly smartcards: boolean
}

/** Begins a session; none begins otherwise. @throws Fault `login.refused` */
export type LogIn = (request: LoginRequest) => BegunSession

export function createLogins(on: LoginsDependencies): LogIn {
  const { token, passphrases, begunSessions, now, longestSessionMs } = on

  return ({ applicationKey, applicationKeyText: text, user, hash, factor }) => {
    const key = applicationKey && committedShown(on, 'application key', applicationKey).fields
    const person = user && committedShown(on, 'user', user).fields
    const second = checkFactor(on, person, factor)
    // All of it, always: what was wrong must not be told by the time that it takes.
    const others = [
      key !== undefined && key.revokedAt === null,
      isApplicationKey(token, Buffer.from(text), key?.keyCheck ?? Buffer.alloc(pepperedBytes)),
      person !== undefined && mayLogIn(person.capabilities),
      second.isTheirs,
    ]
    // Where another part is wrong the answer does not depend on the pass phrase: a stranger who has none of them cannot use its tries up.
    const isTold = !others.includes(false)
    const isRight = passphrases.matches(person?.passphraseCheck, hash, isTold)
    if (key === undefined || person === undefined || !isTold || !isRight) throw new Fault('login.refused')
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
 * Uses up what is good once, also where all else is wrong. Devices and certificates have to be factors that the user's record names;
 * that a client has shown to hold the private key of the certificate, in a TLS handshake, is the worker's word.
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

/** What judges a second factor that is good once. */
export interface OnceJudges {
  readonly otps: OtpJudge
  readonly passkeys: PasskeyJudge
}

/** Whether it is a fresh one of this user, and was used up by this. `session`: whose challenge an authenticator answered. */
export function usesUp(
  { otps, passkeys }: OnceJudges,
  user: Pick<FieldsOf<'user'>, 'id' | 'factors'> | undefined,
  factor: OnceShown,
  session: Buffer | undefined,
): boolean {
  if ('passkey' in factor) return passkeys.use(user, factor.passkey, session)
  return otps.use(devicesHeldBy(user, factor.devices), factor.otp).outcome === 'good'
}

/** All of them, or none where one is not the user's. */
export const devicesHeldBy = (
  user: Pick<FieldsOf<'user'>, 'id' | 'factors'> | undefined,
  devices: readonly OtpState[],
): readonly OtpState[] =>
  user !== undefined && devices.every(({ device }) => holdsFactor(user, device)) ? devices : []
