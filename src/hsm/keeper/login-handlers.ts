import { createHash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { secretKeyKinds } from '../key-kind.ts'
import { mostOtpDevices, type OtpState, type OtpVerdict, type ShownOtp } from '../otp-use.ts'
import {
  applicationKeyText,
  earlierPassphraseText,
  passphraseCheckBytes,
  passphraseNonceBytes,
  passphraseText,
  pepperedBytes,
  privateIdText,
  seedCheckText,
  successorText,
} from '../peppered-text.ts'
import { pepper, random } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { OtpJudge } from './otp-judge.ts'
import type { TryLimit } from './try-limit.ts'

export interface LoginDependencies {
  readonly token: Token
  readonly otps: OtpJudge
  readonly tries: TryLimit
}

/** What workers ask of pass phrases, one-time passwords and keys of applications: the pepper never meets bytes that a worker composed. */
export function createLoginHandlers({ token, otps, tries }: LoginDependencies) {
  /** The text is zeroed: it holds a secret. */
  const peppered = (text: Buffer): Buffer => {
    try {
      return pepper(token, text)
    } finally {
      text.fill(0)
    }
  }

  function matchesPassphrase(check: Buffer, hash: Buffer): boolean {
    // Whoever asks cannot make a second check of the same pass phrase: the limit is that of the pass phrase.
    const subject = createHash('sha256').update(check).digest()
    const isKnown = check.length === passphraseCheckBytes
    if (!isKnown && check.length !== pepperedBytes)
      throw new Fault('hsm.rejected', 'This is no check of a pass phrase.')
    const nonce = check.subarray(0, isKnown ? passphraseNonceBytes : 0)
    const expected = peppered(isKnown ? passphraseText(nonce, hash) : earlierPassphraseText(hash))
    const isRight = timingSafeEqual(expected, check.subarray(nonce.length)) && tries.allows(subject)
    tries.note(subject, isRight)
    return isRight
  }

  return {
    newPassphraseCheck(fields: RequestFields) {
      const nonce = random(token, passphraseNonceBytes)
      return [Buffer.concat([nonce, peppered(passphraseText(nonce, hashIn(fields)))])]
    },
    matchesPassphrase: (fields: RequestFields) => [flag(matchesPassphrase(fields.bytes(), hashIn(fields)))],
    applicationKeyCheck: (fields: RequestFields) => [
      peppered(applicationKeyText(sized(fields.bytes(), 0, longestApplicationKey))),
    ],
    seedCheck(fields: RequestFields) {
      const kind = fields.oneOf(['totp', 'hotp'])
      const keyKind = fields.oneOf(secretKeyKinds)
      const period = fields.text()
      const use = { kind, keyKind, periodSeconds: period === '' ? null : Number(period) }
      return [peppered(seedCheckText(use, sized(fields.bytes(), 16, 64)))]
    },
    privateIdCheck: (fields: RequestFields) => [peppered(privateIdText(sized(fields.bytes(), 6, 6)))],
    sessionTokenSuccessor(fields: RequestFields) {
      const sessionToken = fields.text()
      if (!/^[A-Za-z0-9]{42}$/.test(sessionToken)) throw new Fault('hsm.rejected', 'This is no token of a session.')
      return [peppered(successorText(sessionToken))]
    },
    checkOtp: (fields: RequestFields) => verdictFields(otps.check(statesIn(fields), shownIn(fields))),
    useOtp: (fields: RequestFields) => verdictFields(otps.use(statesIn(fields), shownIn(fields))),
    resynchroniseOtp(fields: RequestFields) {
      const counter = otps.resynchronise(stateIn(fields), [codeIn(fields.text()), codeIn(fields.text())])
      return [Buffer.from(counter === undefined ? '' : String(counter))]
    },
  }
}

/** Of what a client may send as one. */
const longestApplicationKey = 4_096

const flag = (value: boolean): Buffer => Buffer.from(value ? '1' : '0')

function sized(bytes: Buffer, least: number, most: number): Buffer {
  if (bytes.length < least || bytes.length > most)
    throw new Fault('hsm.rejected', `A secret of ${bytes.length} bytes does not serve here.`)
  return bytes
}

const hashIn = (fields: RequestFields): Buffer => sized(fields.bytes(), 32, 32)

function statesIn(fields: RequestFields): OtpState[] {
  const count = fields.integer()
  if (!Number.isInteger(count) || count < 0 || count > mostOtpDevices)
    throw new Fault('hsm.rejected', `At most ${mostOtpDevices} devices are looked at together.`)
  return Array.from({ length: count }, () => stateIn(fields))
}

function stateIn(fields: RequestFields): OtpState {
  const device = fields.sealed()
  const [counter, driftSteps] = [fields.integer(), fields.integer()]
  if (!Number.isSafeInteger(counter) || counter < 0 || !Number.isSafeInteger(driftSteps))
    throw new Fault('hsm.rejected', 'The state of a device is made of numbers.')
  return { device, counter, driftSteps }
}

const blockBytes = 16

function shownIn(fields: RequestFields): ShownOtp {
  const otp = fields.bytes()
  return otp.length === blockBytes ? { block: otp } : { code: codeIn(otp.toString()) }
}

function codeIn(text: string): string {
  if (!/^\d{6,8}$/.test(text)) throw new Fault('hsm.rejected', 'This is no one-time password.')
  return text
}

function verdictFields({ outcome, at, counter, driftSteps, reading }: OtpVerdict): Buffer[] {
  return [...[outcome, at, counter, driftSteps].map((part) => Buffer.from(String(part))), reading]
}
