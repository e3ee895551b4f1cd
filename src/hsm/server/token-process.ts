import type { Server } from 'node:net'
import { keeperOf } from '../../config/keeper-section.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { createToken, type Token } from '../pkcs11/token-link.ts'
import { openFloorReader } from './floor-reader.ts'
import { createFrameServer, type Dispatch } from './frame-server.ts'
import { createJournal, type Journal } from './journal.ts'
import { createUnfinishedFrames } from './unfinished-frames.ts'
import { mayOpenMoreFiles } from '../../open-files.ts'
import { tokenLocationOf } from './token-location.ts'
import { createWatchdog } from './watchdog.ts'
import { createRequestQueue, type RequestQueue, type RequestQueueOptions } from './request-queue.ts'

/** A process that is logged in to the token: a token host, or the keeper. */
export interface TokenProcess {
  /** Rejects where it cannot listen on its sockets, or has to be started anew. */
  readonly failed: Promise<never>
  /** Ends connections, sessions and login. */
  close(): void
}

export interface TokenProcessOptions {
  readonly configFile: string
  /** Its name in the journal. */
  readonly name: string
  /** `fail`: ends the process, which its supervisor starts anew. */
  readonly serve: (token: Token, config: Config, log: Journal, fail: (reason: Error) => void) => Service
}

export interface Service {
  readonly sockets: readonly ServedSocket[]
  /** Limits of waiting requests in place of `hsm.queue` and `hsm.deadlineMs`. */
  readonly limits?: Pick<RequestQueueOptions, 'limit' | 'deadlineMs'>
  readonly together?: RequestQueueOptions['together']
  /** Factor for the time that one operation may take before systemd's watchdog ends the process. Default: 1. */
  readonly patience?: number
  /** Begins other periodic work and returns a function that ends it. */
  readonly begin?: (queue: RequestQueue) => () => void
}

export interface ServedSocket {
  readonly dispatch: Dispatch
  readonly listen: (server: Server) => Promise<void>
}

/** Largest memory of waiting requests, in addition to the limit of their number (`hsm.queue`). */
const queueLimitBytes = 256 * 1024 * 1024
/** For all connections together: three of the largest frames that come, and as much again of replies. */
const unfinishedLimitBytes = 256 * 1024 * 1024

/** Opens the token and answers frames on unix sockets. */
export function startTokenProcess({ configFile, name, serve }: TokenProcessOptions): TokenProcess {
  const config = loadConfig(configFile)
  const { hsm, log: logging } = config
  const log = createJournal({ name, level: logging.level })
  const floors = openFloorReader(keeperOf(config).floors)
  const token = createToken({
    ...tokenLocationOf(config),
    handles: hsm.handles,
    floors,
  })
  const connections = new Set<{ destroy(): void }>()
  let fail!: (reason: unknown) => void
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  const { sockets, limits, together, patience, begin } = serve(token, config, log, fail)
  // One queue for all sockets, because the token does one thing at a time.
  const queue = createRequestQueue({
    limit: hsm.queue,
    deadlineMs: hsm.deadlineMs,
    ...limits,
    ...(together ? { together } : {}),
    limitBytes: queueLimitBytes,
  })
  const limited = (what: string) =>
    createUnfinishedFrames(unfinishedLimitBytes, (givenUp) =>
      log.warn({ givenUp }, `connection closed: ${what} took too much memory`),
    )
  const [unfinished, unread] = [limited('its unfinished frames'), limited('replies that it did not read')]
  const served = sockets.map(({ dispatch, listen }) => {
    const server = createFrameServer({ dispatch, queue, unfinished, unread, log })
    server.on('connection', (connection) => {
      connections.add(connection)
      connection.once('close', () => connections.delete(connection))
    })
    return { listen, server }
  })

  let isClosed = false
  const listenInTurn = async () => {
    for (const { listen, server } of served) {
      if (isClosed) return
      await listen(server)
      // Closing a server that does not listen yet has no effect.
      if (isClosed) server.close()
    }
  }
  // Before the process listens, so that a client which reaches it gets the result of the first attempt.
  const watch = watchToken(token, log, {
    isSoftHsm: hsm.softhsmConf !== undefined,
    reportAlive: createWatchdog(log, patience),
    fail,
  })
  const end = begin?.(queue)
  listenInTurn().catch(fail)
  return {
    failed,
    close() {
      isClosed = true
      end?.()
      watch.close()
      for (const { server } of served) server.close()
      for (const connection of connections) connection.destroy()
      token.close()
      floors.close()
    },
  }
}

const canaryIntervalMs = 5_000
const firstRetryMs = 100
const longestRetryMs = 5_000

/** A failure is only logged: while the floors cannot be read every use fails. */
function takeUpFloors(token: Token, log: Journal): void {
  try {
    token.takeUpFloors()
  } catch (error) {
    log.error({ err: error }, 'what the keeper has learned was not taken up: deleted vaults, and new root keys')
  }
}

/** SoftHSM2 writes this line to syslog at its lowest level, so that no setting of softhsm2.conf suppresses it. */
const probedDecryption =
  'the line "EVP_DecryptFinal failed" that SoftHSM2 wrote just before is not damage: the conformance probe had it decrypt what was changed, and it refused'

interface TokenWatch {
  readonly isSoftHsm: boolean
  readonly reportAlive: () => void
  readonly fail: (reason: Error) => void
}

/**
 * Keeps the token open: one attempt at once, more with growing pauses while it is down. While it is ready, a wrap with
 * the KEK every few seconds detects a token that is gone, since keys which are already unwrapped may still work. Each
 * round also takes up what the keeper has learned, and tells systemd that this process works: the event loop turns,
 * and the module returned from an operation or an attempt to open the token. A token that is away is no reason for a
 * restart, which would not bring it back sooner, unless this process has come to the limit of its open files.
 */
function watchToken(token: Token, log: Journal, { isSoftHsm, reportAlive, fail }: TokenWatch): { close(): void } {
  let retryMs = firstRetryMs
  let timer: NodeJS.Timeout | undefined
  let reported: string | undefined

  const report = () => {
    const news = `${token.state()} ${token.reason() ?? ''}`
    if (news === reported) return
    reported = news
    if (token.state() === 'ready') {
      log.info({ epoch: token.epoch(), conformance: token.conformance() }, 'token ready')
      if (isSoftHsm) log.info({}, probedDecryption)
    } else log.error({ state: token.state(), reason: token.reason() }, 'token not usable')
  }

  const round = () => {
    if (token.state() === 'ready') token.check()
    else token.open()
    takeUpFloors(token, log)
    report()
    reportAlive()
    const isReady = token.state() === 'ready'
    // One that never opened the token would have no more files after a restart either.
    if (token.state() === 'down' && token.epoch() > 0 && !mayOpenMoreFiles())
      fail(new Error('This process ends, and the next one has none of the files that it keeps open.'))
    retryMs = isReady ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
    timer = setTimeout(round, isReady ? canaryIntervalMs : retryMs)
  }

  round()
  return { close: () => clearTimeout(timer) }
}
