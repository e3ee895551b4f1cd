import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { AuditEvent, AuditTrail } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { ExaminedToken, Otps } from '../otp/otp.ts'
import type { OtpWarnings } from '../otp/yubico-otp.ts'
import type { Store } from '../../store/store.ts'
import { answerMembers, writeAnswer, type Members, type Sign, type Status } from './answer.ts'
import { clientKey, findClient, type ValidationClient } from './records.ts'
import { readRequest, type ReadRequest, type ValidationRequest } from './request.ts'
import { createVerdicts } from './verdicts.ts'

export interface Validation {
  /** What is sent: lines of the published protocol, whatever the request was. */
  readonly text: string
  readonly requestId: string
}

export interface Validator {
  /** Answers the query string of a request; never rejects. What is not recorded in the audit trail is not accepted. */
  verify(query: string, address: string): Promise<Validation>
}

export interface ValidatorDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'otpHmac'>
  readonly otps: Otps
  readonly audit: Pick<AuditTrail, 'append'>
  readonly clock: Clock
  /** Told why a request was answered with BACKEND_ERROR. */
  readonly report: (requestId: string, error: unknown) => void
  /** Told what is odd about an OTP that was accepted: the protocol has no place for it. */
  readonly warn: (requestId: string, publicId: string | undefined, warnings: OtpWarnings) => void
}

/** One request on its way. */
interface Passage {
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly address: string
  readonly read: ReadRequest
  client: ValidationClient | undefined
}

/** The one database is all there is to synchronise with: an accepted OTP is used up everywhere. */
const syncLevel = '100'

export function createValidator(dependencies: ValidatorDependencies): Validator {
  const { store, hsm, otps, audit, clock, report, warn } = dependencies
  const verdicts = createVerdicts({ store, otps })

  const signerOf = (client: ValidationClient): Sign => {
    const key = clientKey(client)
    return (text) => hsm.otpHmac(key, Buffer.from(text))
  }

  async function isGenuine(client: ValidationClient, { signature, signedText }: ValidationRequest): Promise<boolean> {
    if (signature === undefined) return client.allowUnsigned === 1
    const expected = Buffer.from((await signerOf(client)(signedText)).toString('base64'))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** All that can be said of a request before its OTP is used up. The token is asked both questions at once. */
  async function examine(client: ValidationClient, request: ValidationRequest): Promise<Status | ExaminedToken> {
    const [genuine, examined] = await Promise.all([
      isGenuine(client, request),
      request.otp === undefined ? undefined : otps.examineToken(store.read, request.otp),
    ])
    if (!genuine) return 'BAD_SIGNATURE'
    if (client.revokedAt !== null) return 'OPERATION_NOT_ALLOWED'
    if (request.otpText === undefined) return 'MISSING_PARAMETER'
    return examined ?? 'BAD_OTP'
  }

  async function answer(passage: Passage): Promise<string> {
    const { clientId, request } = passage.read
    if (clientId !== undefined) passage.client = await findClient(store.read, clientId)
    if (request === undefined) return conclude(passage, 'MISSING_PARAMETER')
    if (passage.client === undefined) return conclude(passage, 'NO_SUCH_CLIENT')
    const examined = await examine(passage.client, request)
    if (typeof examined === 'string') return conclude(passage, examined)
    const { warnings } = examined
    return verdicts.decide(examined, request.nonce, (verdict) => {
      if (verdict !== 'OK') return conclude(passage, verdict)
      if (Object.keys(warnings).length > 0) warn(passage.requestId, publicIdOf(passage), warnings)
      return conclude(passage, verdict, tellings(request, examined))
    })
  }

  /** Resolves to the answer when it is recorded. */
  async function conclude(passage: Passage, status: Status, more: Members = {}): Promise<string> {
    const [text] = await Promise.all([write(passage, status, more), audit.append(eventOf(passage, status))])
    return text
  }

  function write({ read, client }: Passage, status: Status, more: Members = {}): Promise<string> {
    return writeAnswer(answerMembers(status, read.echo, more, clock.now()), client && signerOf(client))
  }

  /** A failure is recorded too, where it can be, also after a record of what then failed; and signed, where it can be. */
  async function giveUp(passage: Passage, error: unknown): Promise<string> {
    const { requestId } = passage
    report(requestId, error)
    await audit.append(eventOf(passage, 'BACKEND_ERROR')).catch((failure: unknown) => report(requestId, failure))
    return write(passage, 'BACKEND_ERROR').catch(() => write({ ...passage, client: undefined }, 'BACKEND_ERROR'))
  }

  return {
    async verify(query, address) {
      const passage: Passage = {
        requestId: randomUUID(),
        startedAt: clock.now(),
        startedTick: performance.now(),
        address,
        read: readRequest(query),
        client: undefined,
      }
      const text = await answer(passage).catch((error: unknown) => giveUp(passage, error))
      return { text, requestId: passage.requestId }
    },
  }
}

function tellings({ wantsReading }: ValidationRequest, { reading }: ExaminedToken): Members {
  if (!wantsReading) return { sl: syncLevel }
  return {
    sl: syncLevel,
    timestamp: String(reading.timestamp),
    sessioncounter: String(reading.useCounter),
    sessionuse: String(reading.sessionUse),
  }
}

function publicIdOf({ read }: Pick<Passage, 'read'>): string | undefined {
  return read.request?.otp?.publicId
}

function eventOf({ requestId, startedAt, startedTick, address, read, client }: Passage, status: Status): AuditEvent {
  return {
    at: startedAt,
    operation: 'validation.verify',
    requestId,
    outcome: status,
    username: client && `validation client ${client.name}`,
    address,
    target: publicIdOf({ read }),
    ms: performance.now() - startedTick,
  }
}
