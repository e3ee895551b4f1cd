import { StrongroomError, type ErrorCode } from '@strongroom/client'
import { CommanderError } from 'commander'

/** The codes of the command `strongroom`, where they mean the same. Only this program has 7 and 8. */
export const exitCodes = { done: 0, refused: 1, usage: 2, token: 3, store: 4, audit: 6, login: 7, away: 8 } as const

/** The command line is invalid. The message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command is impossible at present. The message says why and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** There is no session. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded'
  constructor(url: string) {
    super(`You are not logged in at ${url}: run strongroom-cli login.`)
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof UsageError) return exitCodes.usage
  if (error instanceof LoginNeeded) return exitCodes.login
  return error instanceof StrongroomError ? exitCodeOfAnswer(error.code, error.status) : exitCodes.refused
}

function exitCodeOfAnswer(code: ErrorCode, status: number | undefined): number {
  if (code === 'session.invalid') return exitCodes.login
  if (code.startsWith('hsm.')) return exitCodes.token
  if (code === 'store.unavailable') return exitCodes.store
  if (code === 'audit.unavailable') return exitCodes.audit
  const isAway = ['network', 'timeout', 'protocol'].includes(code) || [429, 502, 503, 504].includes(status ?? 0)
  return isAway ? exitCodes.away : exitCodes.refused
}

/** The sentence that tells a person what failed, why, and what to do. Never a stack trace. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof StrongroomError)) {
    const known = error instanceof UsageError || error instanceof Refusal || error instanceof LoginNeeded
    const message = error instanceof Error ? error.message : String(error)
    return known ? message : `An unexpected error: ${message}`
  }
  const { code, message, retryAfterMs } = error
  if (code === 'session.invalid') return 'Your session has ended: run strongroom-cli login.'
  const wait = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  // The client names its own option.
  return `${message.replace(/ as ca\.$/, ': strongroom-cli login --ca FILE.')}${wait}`
}
