import { randomUUID } from 'node:crypto'
import type { AuditEvent, AuditTrail } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { ExaminedToken, Otps } from '../otp/otp.ts'
import type { OtpWarnings } from '../otp/yubico-otp.ts'
import type { Store } from '../../store/store.ts'
import { clientKey, findClient, type ValidationClient } from './records.ts'
import {
  answerMembers,
  readRequest,
  writeAnswer,
  type Members,
  type ReadRequest,
  type Sign,
  type Status,
  type ValidationRequest,
} from './validation-protocol.ts'
import { createVerdicts } from './verdicts.ts'

export interface Validation {
  /** The answer: lines of the protocol, for every request. */
  readonly text: string
  readonly requestId: string
}

export interface Validator {
  /**
   * Answers the query string of a request; never rejects. An OTP is accepted only after its audit record is on the
   * disk.
   */
  verify(query: string, address: string): Promise<Validation>
}

/** The request being answered. */
interface ValidationCall {
  readonly requestId: string
  readonly startedAt: number
  readonly startedTick: number
  readonly address: string
  readonly read: ReadRequest
  client: ValidationClient | undefined
}

/** Always 100 %: the one database makes an accepted OTP used up everywhere. */
const syncLevel = '100'

export interface ValidatorDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'acceptOtp' | 'signValidation' | 'verify' | 'verifyValidation'>
  readonly otps: Otps
  readonly audit: Pick<AuditTrail, 'append'>
  readonly clock: Clock
  /** Told the reason for each answer BACKEND_ERROR. */
  readonly report: (requestId: string, error: unknown) => void
  /** Told the warnings about an accepted OTP, for which the protocol has no member. */
  readonly warn: (requestId: string, publicId: string | undefined, warnings: OtpWarnings) => void
}

export function createValidator(dependencies: ValidatorDependencies): Validator {
  const { store, hsm, otps, audit, clock, report, warn } = dependencies
  const verdicts = createVerdicts({ store, otps })
  const accept = createAcceptance(dependencies)

  /** Makes all checks of a request that precede the use of its OTP. The token checks signature and OTP in parallel. */
  async function examine(client: ValidationClient, request: ValidationRequest): Promise<Status | ExaminedToken> {
    const [genuine, examined] = await Promise.all([
      isGenuine(hsm, client, request),
      request.otp === undefined ? undefined : otps.examineToken(store.read, request.otp),
    ])
    if (!genuine) return 'BAD_SIGNATURE'
    if (client.revokedAt !== null) return 'OPERATION_NOT_ALLOWED'
    if (request.otpText === undefined) return 'MISSING_PARAMETER'
    return examined ?? 'BAD_OTP'
  }

  async function answer(call: ValidationCall): Promise<string> {
    const { clientId, request } = call.read
    if (clientId !== undefined) call.client = await findClient(store.read, clientId)
    if (request === undefined) return conclude(call, 'MISSING_PARAMETER')
    if (call.client === undefined) return conclude(call, 'NO_SUCH_CLIENT')
    const examined = await examine(call.client, request)
    if (typeof examined === 'string') return conclude(call, examined)
    const { client } = call
    const { warnings } = examined
    return verdicts.decide(examined, request.nonce, async (verdict) => {
      if (verdict !== 'OK') {
        const text = await conclude(call, verdict)
        return () => Promise.resolve(text)
      }
      if (Object.keys(warnings).length > 0) warn(call.requestId, publicIdOf(call), warnings)
      await audit.append(eventOf(call, verdict))
      return () => accept(call.read, client, examined)
    })
  }

  /** Records the status; resolves to the answer. */
  async function conclude(call: ValidationCall, status: Status): Promise<string> {
    const [text] = await Promise.all([write(call, status), audit.append(eventOf(call, status))])
    return text
  }

  function write({ read, client }: ValidationCall, status: Status): Promise<string> {
    return writeAnswer(answerMembers(status, read.echo, {}, clock.now()), client && signerOf(hsm, client))
  }

  /**
   * Answers a failure. It is recorded if possible, even after a record of the step that failed, and signed if possible.
   */
  async function giveUp(call: ValidationCall, error: unknown): Promise<string> {
    const { requestId } = call
    report(requestId, error)
    await audit.append(eventOf(call, 'BACKEND_ERROR')).catch((failure: unknown) => report(requestId, failure))
    return write(call, 'BACKEND_ERROR').catch(() => write({ ...call, client: undefined }, 'BACKEND_ERROR'))
  }

  return {
    async verify(query, address) {
      const call: ValidationCall = {
        requestId: randomUUID(),
        startedAt: clock.now(),
        startedTick: performance.now(),
        address,
        read: readRequest(query),
        client: undefined,
      }
      const text = await answer(call).catch((error: unknown) => giveUp(call, error))
      return { text, requestId: call.requestId }
    },
  }
}

/** Has the keeper accept OTPs after the commit. An OTP whose use could not be stored stays valid. */
function createAcceptance({ store, hsm, otps, clock }: ValidatorDependencies) {
  return ({ echo, request }: ReadRequest, client: ValidationClient, examined: ExaminedToken): Promise<string> => {
    const members = answerMembers('OK', echo, acceptedMembers(request, examined), clock.now())
    return writeAnswer(members, async (text) => {
      const { state, block } = examined
      const mac = await otps.withHolder(store.read, examined, (holder) =>
        hsm.acceptOtp(clientKey(client).key, state, holder, { block, answer: text }),
      )
      if (mac !== undefined) return mac
      throw new Error(
        'The keeper refuses an OTP that the database took: it was used, or its holder was changed, since.',
      )
    })
  }
}

const signerOf =
  (hsm: ValidatorDependencies['hsm'], client: ValidationClient): Sign =>
  (text) =>
    hsm.signValidation(clientKey(client).key, text)

async function isGenuine(
  hsm: ValidatorDependencies['hsm'],
  client: ValidationClient,
  { signature, signedText }: ValidationRequest,
): Promise<boolean> {
  if (signature === undefined) {
    // Verified before the OTP is used up.
    await hsm.verify(clientKey(client).key)
    return client.allowUnsigned === 1
  }
  const mac = Buffer.from(signature, 'base64')
  // Only the canonical base64 text of the MAC is accepted.
  return mac.toString('base64') === signature && hsm.verifyValidation(clientKey(client).key, signedText, mac)
}

function acceptedMembers(request: ValidationRequest | undefined, { reading }: ExaminedToken): Members {
  if (request?.wantsReading !== true) return { sl: syncLevel }
  return {
    sl: syncLevel,
    timestamp: String(reading.timestamp),
    sessioncounter: String(reading.useCounter),
    sessionuse: String(reading.sessionUse),
  }
}

function publicIdOf({ read }: Pick<ValidationCall, 'read'>): string | undefined {
  return read.request?.otp?.publicId
}

function eventOf(
  { requestId, startedAt, startedTick, address, read, client }: ValidationCall,
  status: Status,
): AuditEvent {
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
