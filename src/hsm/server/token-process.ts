import type { Server } from 'node:net'
import { keeperOf } from '../../config/keeper-section.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { createToken, type Token } from '../pkcs11/token-link.ts'
import { openFloorReader } from './floor-reader.ts'
import { createFrameServer, type Dispatch } from './frame-server.ts'
import { createJournal, type Journal } from './journal.ts'
import { createUnfinishedFrames } from './unfinished-frames.ts'
import { tokenLocationOf } from './token-location.ts'
import { createWatchdog } from './watchdog.ts'
import { createRequestQueue, type RequestQueue, type RequestQueueOptions } from './request-queue.ts'

/** A process that holds the token: a token host, or the keeper. */
export interface TokenProcess {
  /** Resolves when its sockets are served. */
  readonly listening: Promise<void>
  /** Ends connections, sessions and login. */
  close(): void
}

export interface TokenProcessOptions {
  readonly configFile: string
  /** In the journal. */
  readonly name: string
  readonly serve: (token: Token, config: Config, log: Journal) => Service
}

export interface Service {
  readonly sockets: readonly ServedSocket[]
  /** Other bounds for waiting requests than `hsm.queue` and `hsm.deadlineMs`. */
  readonly limits?: Pick<RequestQueueOptions, 'limit' | 'deadlineMs'>
  readonly together?: RequestQueueOptions['together']
  /** What it does at once may take so many times what others may; default: 1. */
  readonly patience?: number
  /** What it does beside answering, from the start on; gives what ends it. */
  readonly begin?: (queue: RequestQueue) => () => void
}

export interface ServedSocket {
  readonly dispatch: Dispatch
  readonly listen: (server: Server) => Promise<void>
}

/** Beside the bound on their number (hsm.queue), one on the memory that waiting requests take. */
const queueLimitBytes = 256 * 1024 * 1024
/** For all connections: three of the largest frames. */
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
  const { sockets, limits, together, patience, begin } = serve(token, config, log)
  // One queue for all sockets: the token does one thing at a time.
  const queue = createRequestQueue({
    limit: hsm.queue,
    deadlineMs: hsm.deadlineMs,
    ...limits,
    ...(together ? { together } : {}),
    limitBytes: queueLimitBytes,
  })
  const unfinished = createUnfinishedFrames(unfinishedLimitBytes, (givenUp) =>
    log.warn({ givenUp }, 'connection closed: too much of unfinished frames was held'),
  )
  const served = sockets.map(({ dispatch, listen }) => {
    const server = createFrameServer({ dispatch, queue, unfinished, log })
    server.on('connection', (connection) => {
      connections.add(connection)
      connection.once('close', () => connections.delete(connection))
    })
    return { listen, server }
  })

  const listenInTurn = async () => {
    for (const { listen, server } of served) await listen(server)
  }
  // Before it listens, so that a client that reaches it gets the outcome of the first try.
  const watch = watchToken(token, log, {
    isSoftHsm: hsm.softhsmConf !== undefined,
    reportAlive: createWatchdog(log, patience),
  })
  const end = begin?.(queue)
  return {
    listening: listenInTurn(),
    close() {
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

/** Where it fails each use does: nothing is used that the floors are not read for. */
function dropDeleted(token: Token, log: Journal): void {
  try {
    token.dropDeleted()
  } catch (error) {
    log.error({ err: error }, 'handles of deleted vaults not released')
  }
}

/** SoftHSM2 writes its line to syslog at its least level, so that no setting of softhsm2.conf keeps it away. */
const probedDecryption =
  'the line "EVP_DecryptFinal failed" that SoftHSM2 wrote just before is not damage: the conformance probe had it decrypt what was changed, and it refused'

/**
 * Keeps the token open: a first try at once, further ones with growing pauses while it is down, and a wrap with the KEK
 * every few seconds, because keys that are unwrapped already go on working in a token that is gone. Handles below vaults
 * that were deleted go then, too. systemd hears after each try that this process lives: its event loop turns, which answers
 * clients, and the module came back from an operation, or from a try to open the token. One that is away is no reason for
 * a restart, which would bring it back no sooner.
 */
function watchToken(
  token: Token,
  log: Journal,
  { isSoftHsm, reportAlive }: { readonly isSoftHsm: boolean; readonly reportAlive: () => void },
): { close(): void } {
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
    dropDeleted(token, log)
    report()
    reportAlive()
    const isReady = token.state() === 'ready'
    retryMs = isReady ? firstRetryMs : Math.min(retryMs * 2, longestRetryMs)
    timer = setTimeout(round, isReady ? canaryIntervalMs : retryMs)
  }

  round()
  return { close: () => clearTimeout(timer) }
}
