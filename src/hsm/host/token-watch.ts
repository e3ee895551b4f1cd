import type { Log } from '../../log.ts'
import type { Token } from '../pkcs11/token.ts'

export interface TokenWatch {
  close(): void
}

const canaryIntervalMs = 5_000
const firstRetryMs = 100
const longestRetryMs = 5_000

/**
 * Keeps the token open: a first try at once, further ones with growing pauses while it is down, and a wrap with the KEK every
 * few seconds, because keys that are unwrapped already go on working in a token that is gone.
 */
export function watchToken(token: Token, log: Log): TokenWatch {
  let retryMs = firstRetryMs
  let timer: NodeJS.Timeout | undefined
  let reported: string | undefined

  const report = () => {
    const news = `${token.state()} ${token.reason() ?? ''}`
    if (news === reported) return
    reported = news
    if (token.state() === 'ready') log.info({ epoch: token.epoch(), conformance: token.conformance() }, 'token ready')
    else log.error({ state: token.state(), reason: token.reason() }, 'token not usable')
  }

  const round = () => {
    if (token.state() === 'ready') token.check()
    else token.open()
    report()
    const isReady = token.state() === 'ready'
    retryMs = isReady ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
    timer = token.state() === 'sealed' ? undefined : setTimeout(round, isReady ? canaryIntervalMs : retryMs)
  }

  round()
  return { close: () => clearTimeout(timer) }
}
