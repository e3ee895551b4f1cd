import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Sessions } from '../sessions.ts'
import type { Advice, Sentences } from '../login-advice.ts'
import {
  isForSmartcard,
  loginTypeField,
  otpKindOf,
  readKeys,
  secret,
  type Credentials,
  type PresentedCard,
} from '../credentials.ts'
import type { LoggedIn, Login } from '../login.ts'
import type { CardReader } from '../smartcard-login.ts'

const body = z.object({
  username: z.string().min(1).max(128),
  keys: secret.optional(),
  passphrase: secret.optional(),
  otp: secret.optional(),
  apikey: secret.optional(),
  logintype: loginTypeField.optional(),
})

type LoginBody = z.infer<typeof body>

/** `POST /auth` (spec: Login), form A with `keys` or form B with separate members. */
export const logIn = (login: Login, sessions: Sessions, readCard: CardReader) =>
  endpoint({
    operation: 'auth.login',
    handler: 'AuthHandler',
    method: 'POST',
    path: '/auth',
    summary: 'Log in with pass phrase, application key and second factor',
    access: { kind: 'public' },
    success: 200,
    faults: ['login.refused', 'login.throttled', 'login.busy', 'login.type_disabled'],
    reply: { callinfo: resultSchema },
    params: z.object({}),
    body,
    async run({ body, client, note, setToken, commit }) {
      note({ username: body.username })
      const card = isForSmartcard(body.logintype) ? await readCard(client.certificate()) : undefined
      note({ target: card?.target })
      const credentials = card === undefined ? readCredentials(body) : [withCard(body, card.card)]
      const loggedIn = await login.logIn({ username: body.username, credentials, address: client.address }, (work) =>
        commit(
          async (tx) => {
            const opened = await work(tx)
            note({ userId: opened.user.id, sessionId: opened.sessionId, applicationKeyId: opened.applicationKeyId })
            return opened
          },
          // The client gets the token when it is on the disk.
          { syncAside: true },
        ),
      )
      setToken(loggedIn.token, loggedIn.responseVersion)
      const { passphrase_weak: weak } = loggedIn.advice.warnings
      return {
        callinfo: loginResult(loggedIn, sessions.idleTimeoutMs),
        // Clients of this interface read this warning here.
        ...(weak === undefined ? {} : { general: [weak] }),
      }
    },
  })

/** The certificate replaces the OTP (spec: Authentication, 2). */
function withCard({ passphrase, apikey }: LoginBody, card: PresentedCard | undefined): Credentials {
  if (passphrase === undefined) throw missing('passphrase')
  if (apikey === undefined) throw missing('apikey')
  return { passphrase, applicationKey: apikey, otpKind: 'smartcard', card }
}

function readCredentials({ keys, passphrase, otp, apikey, logintype }: LoginBody): Credentials[] {
  if (keys !== undefined) return readKeys(keys, apikey, logintype)
  if (passphrase === undefined) throw missing('passphrase')
  if (otp === undefined) throw missing('otp')
  if (apikey === undefined) throw missing('apikey')
  return [{ passphrase, applicationKey: apikey, otp, otpKind: otpKindOf(otp, logintype) }]
}

const missing = (member: string): Fault =>
  new Fault(
    'request.invalid',
    `${member} is missing: send username with keys, or with passphrase, apikey, logintype and, but for a smartcard, otp.`,
  )

/** An empty list is an empty array, as clients of this interface expect it. */
const listSchema = z.union([z.array(z.string()).max(0), z.record(z.string(), z.string())])

const resultSchema = z.object({
  fingerprint: z.string().describe('of the public key of the user'),
  userid: z.string(),
  password: z.string().describe('always empty'),
  userstatus: z.string().describe('capabilities of the user, a bitmap'),
  username: z.string(),
  fullname: z.string(),
  timeout: z.int().describe('milliseconds without a call that end the session'),
  filesupport: z.int(),
  version: z.string().describe('release whose shapes the answers have'),
  audit: z.object({ violations: listSchema, warnings: listSchema }),
})

/** How many templates handle files, as clients of this interface expect it. */
const fileSupport = 3

function loginResult({ user, advice, responseVersion }: LoggedIn, timeoutMs: number): Record<string, unknown> {
  return {
    fingerprint: user.fingerprint,
    userid: String(user.id),
    // The member belongs to the interface; repeating the pass phrase in it would only spread it.
    password: '',
    userstatus: String(user.capabilities),
    username: user.username,
    fullname: user.fullname,
    timeout: timeoutMs,
    filesupport: fileSupport,
    version: responseVersion,
    audit: auditOf(advice),
  }
}

/** Without advice an empty array: published clients read both members without a check. */
function auditOf({ violations, warnings }: Advice): Record<string, unknown> {
  return { violations: listed(violations), warnings: listed(warnings) }
}

function listed(sentences: Sentences): Sentences | [] {
  return Object.keys(sentences).length === 0 ? [] : sentences
}
