import type { z } from 'zod'
import { currentResponseVersion, type Client } from '../../../access/caller.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Sessions } from '../sessions.ts'
import type { Advice, Sentences } from '../login-advice.ts'
import {
  isForPasskey,
  isForSmartcard,
  isServiceLoginType,
  otpKindOf,
  passkeyFactor,
  readKeys,
  type Credentials,
  type PresentedCard,
  type ServiceLoginType,
} from '../credentials.ts'
import type { LoggedIn, Login } from '../login.ts'
import { loginBody, loginResultSchema } from './login-members.ts'
import type { ServiceLoggedIn, ServiceLogin } from '../service-login.ts'
import type { ShownCredential } from '../shown-credential.ts'
import type { CardReader } from '../smartcard-login.ts'

type LoginBody = z.output<typeof loginBody>

interface Logins {
  readonly login: Login
  readonly serviceLogin: ServiceLogin
}

/** `POST /auth` (spec: Login): form A with `keys`, form B with separate members, or a service account. */
export const logIn = ({ login, serviceLogin }: Logins, sessions: Sessions, readCard: CardReader) =>
  endpoint({
    operation: 'auth.login',
    handler: 'AuthHandler',
    method: 'POST',
    path: '/auth',
    summary: 'Log in with pass phrase, application key and second factor, or as a service account',
    details:
      '`CALLINFO.token` is the session token: send it in the header `X-Http-Token` of every later call, and take the token of each answer for the next one.\n\nPages of the appliance itself send `session` `cookie`, with `X-Strongroom-Console: 1`: then the token is only in the cookie `__Host-strongroom`, which scripts cannot read.',
    access: { kind: 'public' },
    faults: ['login.refused', 'login.throttled', 'login.busy', 'login.type_disabled', 'session.cookie'],
    reply: { callinfo: loginResultSchema },
    body: loginBody,
    async run({ body, client, note, refuseForeignPage, setToken, commit }) {
      // Checked before a one-time password is used up. It also keeps a foreign page from logging a browser in to an
      // account of the page's choice (login CSRF).
      if (body.session === 'cookie') refuseForeignPage()
      if (isServiceLoginType(body.logintype)) {
        const { account, shown } = readShown(body, body.logintype, client.certificate)
        note({ username: account })
        const loggedIn = await serviceLogin.logIn(
          { account, shown, address: client.address },
          (work) =>
            commit(
              async (tx) => {
                const opened = await work(tx)
                const { account: user, sessionId, credential } = opened
                note({ username: user.username, userId: user.id, sessionId, target: `credential ${credential}` })
                return opened
              },
              { syncAside: true },
            ),
          (reason, name) => note({ target: reason, username: name }),
        )
        setToken(loggedIn.token, currentResponseVersion, body.session)
        return { callinfo: serviceResult(loggedIn, Date.now()) }
      }
      const { username } = body
      if (username === undefined) throw withoutName(body)
      note({ username })
      const card = isForSmartcard(body.logintype) ? await readCard(client.certificate()) : undefined
      note({ target: card?.target })
      const credentials = card === undefined ? readCredentials(body) : [withCard(body, card.card)]
      const loggedIn = await login.logIn({ username, credentials, address: client.address }, (work, options) =>
        commit(async (tx) => {
          const opened = await work(tx)
          note({ userId: opened.user.id, sessionId: opened.sessionId, applicationKeyId: opened.applicationKeyId })
          return opened
        }, options),
      )
      setToken(loggedIn.token, loggedIn.responseVersion, body.session)
      const { passphrase_weak: weak } = loggedIn.advice.warnings
      return {
        callinfo: loginResult(loggedIn, sessions.idleTimeoutMs),
        // Published clients read this warning in CALLINFO.general.
        ...(weak === undefined ? {} : { general: [weak] }),
      }
    },
  })

/** The members that each login type of service accounts reads. */
function readShown(
  { account, assertion, key }: LoginBody,
  type: ServiceLoginType,
  certificate: Client['certificate'],
): { readonly account: string | undefined; readonly shown: ShownCredential } {
  if (type === 'service_jwt') return { account, shown: { kind: 'jwt', assertion: given('assertion', assertion) } }
  if (account === undefined) throw new Fault('request.invalid', 'account is missing: the name of the service account.')
  if (type === 'service_certificate') return { account, shown: { kind: 'certificate', presented: certificate() } }
  if (type === 'service_federated')
    return { account, shown: { kind: 'federated', assertion: given('assertion', assertion) } }
  return { account, shown: { kind: 'static', key: given('key', key) } }
}

function given(member: string, value: string | undefined): string {
  if (value === undefined) throw new Fault('request.invalid', `${member} is missing: this logintype needs it.`)
  return value
}

const withoutName = ({ account }: LoginBody): Fault =>
  new Fault(
    'request.invalid',
    account === undefined ? 'username is missing.' : 'logintype is missing: it says how the service account logs in.',
  )

/** The certificate takes the place of the OTP (spec: Authentication, 2). */
function withCard({ passphrase, apikey }: LoginBody, card: PresentedCard | undefined): Credentials {
  if (passphrase === undefined) throw missing('passphrase')
  if (apikey === undefined) throw missing('apikey')
  return { passphrase, applicationKey: apikey, otpKind: 'smartcard', card }
}

function readCredentials({ keys, passphrase, otp, passkey, apikey, logintype }: LoginBody): Credentials[] {
  if (isForPasskey({ logintype, otp, passkey })) {
    if (passphrase === undefined) throw missing('passphrase')
    if (apikey === undefined) throw missing('apikey')
    return [{ passphrase, applicationKey: apikey, ...passkeyFactor(passkey) }]
  }
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

/** Number of templates that handle files, as published clients expect it. */
const fileSupport = 3

function loginResult(
  { user, advice, responseVersion }: Pick<LoggedIn, 'user' | 'advice' | 'responseVersion'>,
  timeoutMs: number,
): Record<string, unknown> {
  return {
    fingerprint: user.fingerprint,
    userid: String(user.id),
    // The interface has this member; repeating the pass phrase here would only spread it.
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

function serviceResult({ account, expiresAt }: ServiceLoggedIn, now: number): Record<string, unknown> {
  const responseVersion = currentResponseVersion
  const advice = { violations: {}, warnings: {} }
  return {
    ...loginResult({ user: account, advice, responseVersion }, expiresAt - now),
    expires: new Date(expiresAt).toISOString(),
  }
}

/** An empty array where there is no advice: published clients read both members without a check. */
function auditOf({ violations, warnings }: Advice): Record<string, unknown> {
  return { violations: listed(violations), warnings: listed(warnings) }
}

function listed(sentences: Sentences): Sentences | [] {
  return Object.keys(sentences).length === 0 ? [] : sentences
}
