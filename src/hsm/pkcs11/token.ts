import { Fault } from '../../fault.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import { createTokenLink, type TokenLink, type TokenOptions } from './token-link.ts'

/** The token, with the recovery ladder around every use of it. */
export interface Token extends Omit<TokenLink, 'connection' | 'reopen'> {
  /**
   * Runs `work` with the connection, mends what can be mended and tries again: so `work` must be safe to repeat.
   * Throws `hsm.rejected` for bad data, `hsm.unsupported`, `hsm.sealed`, and `hsm.unavailable` when nothing helped.
   */
  run<T>(work: (connection: Connection) => T): T
}

/** Does not touch the token yet: `open` does. */
export function createToken(options: TokenOptions): Token {
  const link = createTokenLink(options)
  return { ...link, run: (work) => climb(link, work) }
}

const lastRung = 3

function climb<T>(link: TokenLink, work: (connection: Connection) => T): T {
  for (let rung = 1; ; rung++) {
    const used = link.connection()
    try {
      return work(used)
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error
      refresh(link, used)
      if (error.remedy === 'data') {
        throw new Fault('hsm.rejected', 'The token found the data bad: altered, or of another key.', { cause: error })
      }
      if (error.remedy === 'unsupported') {
        throw new Fault('hsm.unsupported', 'The token does not support this.', { cause: error })
      }
      if (rung === lastRung) throw new Fault('hsm.unavailable', `The token fails: ${error.message}.`, { cause: error })
      mend(link, used, error, rung)
    }
  }
}

/** A session may hold an unfinished operation for ever after a failure of any kind. */
function refresh(link: TokenLink, used: Connection): void {
  try {
    used.replaceSession()
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
    if (error.remedy === 'evict') used.keys.shrink()
    else link.reopen()
  }
}

/** The new session may be all that was missing; then what the failure asks for; then, where the KEK is dead too, everything anew. */
function mend(link: TokenLink, used: Connection, failure: TokenFailure, rung: number): void {
  if (failure.remedy === 'login' || failure.remedy === 'reinit') link.reopen()
  else if (failure.remedy === 'evict') used.keys.shrink()
  else if (rung > 1) link.check()
}
