import type { AnyEnvelope } from './answer.ts'
import { addresses } from './api.ts'
import { StrongroomError } from './errors.ts'
import type { Login } from './logins.ts'
import { baseOf } from './request.ts'
import { withRetries, type RetryRules } from './retry.ts'
import { send, type TryLimits } from './sending.ts'
import type { Transport } from './transport.ts'

interface LoginPlace {
  readonly base: string
  readonly transport: Transport
  readonly rules: RetryRules
  readonly timeoutMs: number
}

/** Sends a login and resolves to the envelope of its success. It is retried only if each try has a new body. */
export function sendLogin(login: Login, { base, transport, rules, timeoutMs }: LoginPlace): Promise<AnyEnvelope> {
  const url = `${baseOf(login.address?.(new URL(base)) ?? base)}${addresses['auth.login'][1]}`
  const attempt = async (): Promise<AnyEnvelope> => {
    const body = { content: JSON.stringify(await login.body()), type: 'application/json' }
    const own = login.transport?.()
    try {
      return await send(own ?? transport, { method: 'POST', url, body }, { timeoutMs })
    } finally {
      own?.close?.()
    }
  }
  return withRetries(attempt, login.isRepeatable ? rules : { ...rules, retries: 0 })
}

/** Ends the session of this token, if it has not ended already. A call of the client would log in, only to log out. */
export async function sendLogout(
  token: string,
  { base, transport }: Pick<LoginPlace, 'base' | 'transport'>,
  limits: TryLimits,
): Promise<void> {
  const [method, path] = addresses['auth.logout']
  try {
    await send(transport, { method, url: `${base}${path}`, body: undefined, token }, limits)
  } catch (error) {
    if (!(error instanceof StrongroomError) || error.code !== 'session.invalid') throw error
  }
}
