import { constants, setPriority } from 'node:os'
import { keyMakerSocketOf } from '../../config/key-maker-socket.ts'
import { loadConfig, readSecret } from '../../config/loader.ts'
import { type Log, createLog } from '../../log.ts'
import { createToken, type Token } from '../pkcs11/token-link.ts'
import { createDispatch } from './dispatch.ts'
import { createFrameServer, listenOn, listenOnPassed } from './frame-server.ts'
import { createKeyMaker, keyMakerQueue } from './key-maker.ts'
import { keyMakerPatience } from '../protocol/key-maker-patience.ts'
import { createRequestQueue } from './request-queue.ts'

export interface TokenHost {
  /** Resolves when the socket is served. */
  readonly listening: Promise<void>
  /** Ends connections, sessions and login. */
  close(): void
}

/** Beside the bound on their number (hsm.queue), one on the memory that waiting requests take. */
const queueLimitBytes = 256 * 1024 * 1024

/**
 * Opens the token and serves it on this unix socket, which systemd passes where `isPassed`. On the key maker's socket it
 * makes RSA keys and does nothing else.
 */
export function startTokenHost(configFile: string, socket: string | undefined, isPassed: boolean): TokenHost {
  const { hsm, log: logging } = loadConfig(configFile)
  const log = createLog({ name: 'strongroom-tokend', level: logging.level }).child({ socket })
  const token = createToken({
    module: hsm.module,
    uri: hsm.token,
    softhsmConf: hsm.softhsmConf,
    handles: hsm.handles,
    readPin: () => readSecret(hsm.pinFile),
  })
  const { tokenDirectory, rsaKeysAhead: keysAhead, deadlineMs } = hsm
  const keyMaker =
    socket === keyMakerSocketOf(hsm) ? createKeyMaker({ token, tokenDirectory, keysAhead, log }) : undefined
  const limits =
    keyMaker === undefined
      ? { limit: hsm.queue, deadlineMs }
      : { limit: keyMakerQueue, deadlineMs: deadlineMs * keyMakerPatience }
  const queue = createRequestQueue({ ...limits, limitBytes: queueLimitBytes })
  const dispatch = keyMaker?.dispatch ?? createDispatch(token, tokenDirectory)
  const server = createFrameServer({ dispatch, queue, log })
  const connections = new Set<{ destroy(): void }>()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })

  // Before it listens, so that a client that reaches it gets the outcome of the first try.
  const watch = watchToken(token, log)
  // What others wait for goes first.
  if (keyMaker !== undefined) setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const filling = keyMaker?.fill(queue)
  return {
    listening: socket === undefined || isPassed ? listenOnPassed(server) : listenOn(server, socket),
    close() {
      filling?.close()
      watch.close()
      server.close()
      for (const connection of connections) connection.destroy()
      token.close()
    },
  }
}

const canaryIntervalMs = 5_000
const firstRetryMs = 100
const longestRetryMs = 5_000

/**
 * Keeps the token open: a first try at once, further ones with growing pauses while it is down, and a wrap with the KEK
 * every few seconds, because keys that are unwrapped already go on working in a token that is gone.
 */
function watchToken(token: Token, log: Log): { close(): void } {
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
