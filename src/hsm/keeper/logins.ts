import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mayLogIn } from '../../access/capabilities.ts'
import { randomSessionToken, sessionTokenHash } from '../../access/session-token-form.ts'
import { Fault } from '../../fault.ts'
import type { BegunSession, LoginRequest, ShownFactor } from '../login-request.ts'
import { applicationKeyText, passphraseCheckBytes } from '../peppered-text.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { generationOf } from '../record-generation.ts'
import { composeRecord, type FieldsOf, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import type { Floors } from './floors.ts'
import type { OtpJudge } from './otp-judge.ts'
import { type PassphraseJudge, peppered } from './passphrase-judge.ts'
import { shown } from './shown-record.ts'

export interface LoginsDependencies {
  readonly token: Token
  readonly floors: Floors
  readonly otps: OtpJudge
  readonly passphrases: PassphraseJudge
  readonly now: () => number
  /** `session.absoluteTimeoutMs` */
  readonly longestSessionMs: number
  /** `smartcard.enabled`: where it is off, no worker can say that it has seen a card. */
  readonly smartcards: boolean
}

/** Begins a session; none begins otherwise. @throws Fault `login.refused` */
export type LogIn = (request: LoginRequest) => BegunSession

export function createLogins(on: LoginsDependencies): LogIn {
  const { token, passphrases, now, longestSessionMs } = on
  const unknownCheck = randomBytes(passphraseCheckBytes)

  return ({ applicationKey, applicationKeyText: text, user, hash, factor }) => {
    const records = [
      applicationKey && shown(token, 'application key', applicationKey),
      user && shown(token, 'user', user),
    ] as const
    for (const record of records) checkNewest(on, record)
    const [key, person] = [records[0]?.fields, records[1]?.fields]
    const second = checkFactor(on, person, factor)
    // All of it, always: what was wrong must not be told by the time that it takes.
    const isRight = [
      key !== undefined && key.revokedAt === null,
      timingSafeEqual(peppered(token, applicationKeyText(Buffer.from(text))), key?.keyCheck ?? Buffer.alloc(32)),
      person !== undefined && mayLogIn(person.capabilities),
      second.isTheirs,
      passphrases.matches(person?.passphraseCheck ?? unknownCheck, hash),
    ]
    if (key === undefined || person === undefined || isRight.includes(false)) throw new Fault('login.refused')
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
    return { token: sessionToken, identity, seal: seal(token, record), createdAt, expiresAt }
  }
}

/** @throws Fault `hsm.outdated` */
function checkNewest({ floors }: LoginsDependencies, record: OpenedRecord | undefined): void {
  const generation = record && generationOf(record)
  if (generation !== undefined) floors.check(generation)
}

/**
 * Uses the OTP up, also where all else is wrong. A certificate has to be registered for the user; that a client has shown
 * to hold its private key, in a TLS handshake, is the worker's word.
 */
function checkFactor(
  on: LoginsDependencies,
  user: FieldsOf<'user'> | undefined,
  factor: ShownFactor,
): { readonly isTheirs: boolean; readonly certificate: string | null } {
  const { token, otps, smartcards } = on
  if (factor.certificate !== undefined) {
    const registered = shown(token, 'user certificate', factor.certificate)
    checkNewest(on, registered)
    const { userId, fingerprint } = registered.fields
    return { isTheirs: smartcards && userId === user?.id, certificate: fingerprint }
  }
  const { devices, otp } = factor
  const areTheirs = devices.every(({ device }) => shown(token, 'otp', device).fields.userId === user?.id)
  return { isTheirs: otps.use(areTheirs ? devices : [], otp).outcome === 'good', certificate: null }
}
