import type { PKCS11 } from 'pkcs11js'
import { errorMessageOf, Fault } from '../../fault.ts'
import type { FloorCheck } from '../record-generation.ts'
import type { HostStatus } from '../token-status.ts'
import { probe } from './conformance.ts'
import { connect, type Connection } from './connection.ts'
import { PinRefused, TokenFailure } from './failure.ts'
import { mayOpenMoreFiles, raiseOpenFiles } from '../../open-files.ts'
import { createRecentMap } from '../../recent-map.ts'
import { ObjectMissing } from './token-objects.ts'
import { finalize, loadModule, openToken, type TokenLocation } from './token-opening.ts'

export interface TokenOptions extends TokenLocation {
  /** Number of unwrapped keys to keep (`hsm.handles`). */
  readonly handles: number
  /** Refuses outdated records; undefined where there is no such check. */
  readonly floors?: FloorCheck | undefined
}

/** The token, with recovery from failures around every use. */
export interface Token extends Omit<TokenLink, 'connection' | 'reopen' | 'looksAnewFor'> {
  /**
   * Runs `work` with the connection. After a failure, repairs what it can and runs `work` again, so `work` must be safe
   * to repeat.
   * @throws Fault `hsm.rejected` for bad data; `hsm.unsupported`; `hsm.sealed`; `hsm.unavailable` when no repair helped
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
      if (error instanceof ObjectMissing && link.looksAnewFor(error.id)) continue
      if (!(error instanceof TokenFailure)) throw error
      refresh(link, used)
      if (error.remedy === 'data') {
        throw new Fault('hsm.rejected', 'The token found the data bad: altered, or of another key.', { cause: error })
      }
      if (error.remedy === 'unsupported') {
        throw new Fault('hsm.unsupported', 'The token does not support this.', { cause: error })
      }
      if (rung === lastRung) throw new Fault('hsm.unavailable', `The token fails: ${error.message}.`, { cause: error })
      repair(link, used, error, rung)
    }
  }
}

/** Replaces the session, which may have an unfinished operation for ever after any failure. */
function refresh(link: TokenLink, used: Connection): void {
  try {
    used.replaceSession()
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
    if (error.remedy === 'evict') used.keys.shrink()
    else link.reopen()
  }
}

/**
 * The recovery ladder. The first retry has only a new session, or the remedy that the failure asks for. The second one
 * also has a new connection where the KEK does not wrap any more.
 */
function repair(link: TokenLink, used: Connection, failure: TokenFailure, rung: number): void {
  if (failure.remedy === 'login' || failure.remedy === 'reinit') link.reopen()
  else if (failure.remedy === 'evict') used.keys.shrink()
  else if (rung > 1) link.check()
}

/** Holds the present connection, or the reason why there is none. */
interface TokenLink {
  state(): HostStatus['state']
  /** Why the token is not ready; undefined when it is. */
  reason(): string | undefined
  /** @throws Fault `hsm.sealed` or `hsm.unavailable` when there is no connection */
  connection(): Connection
  /**
   * Tries once to connect to a token that is down; `state` tells the result. Does nothing when ready, nor when sealed
   * until the PIN may have changed.
   */
  open(): void
  /** Drops the connection with all its handles and opens another: a new epoch. */
  reopen(): void
  /** Reopens the token where the KEK does not wrap any more. */
  check(): void
  /**
   * Reopens the token to look for an object, once for each `id`. False where this was done before, so that the object
   * does not exist.
   * @throws Fault `hsm.unavailable` when the token was reopened so recently that it would do little else
   */
  looksAnewFor(id: string): boolean
  /** Notes an object that was destroyed here, so that it is not looked for. */
  noteGone(id: string): void
  /**
   * Takes up what the keeper has learned since the last call: releases the keys of deleted vaults, and finds versions of root
   * keys that were made.
   */
  takeUpFloors(): void
  /** Increases by one with every connection. */
  epoch(): number
  /** Results of the conformance probe of this epoch. */
  conformance(): Readonly<Record<string, string>>
  /** Runs the conformance probe again, for new root keys. */
  probeAgain(): void
  /** Ends sessions and login (C_Finalize). */
  close(): void
}

/** Does not touch the token yet: `open` does. */
function createTokenLink(options: TokenOptions): TokenLink {
  let lib: PKCS11 | undefined
  let connection: Connection | undefined
  let conformance: Readonly<Record<string, string>> = {}
  let epoch = 0
  let sealed = false
  let reason: string | undefined = 'The token has not been opened yet.'

  const reach = () => {
    lib ??= loadModule(options)
    const opened = connect(openToken(lib, options), options.handles, options.floors)
    conformance = probe(opened)
    epoch += 1
    connection = opened
    sealed = false
    reason = undefined
  }

  const open = () => {
    if (connection !== undefined || (sealed && !options.pin.hasChanged())) return
    try {
      reach()
    } catch (error) {
      sealed = error instanceof TokenFailure && error.remedy === 'fatal'
      reason = reasonOf(error)
    }
  }

  const reopen = () => {
    connection = undefined
    open()
  }
  const anewLook = createAnewLook(reopen)

  const probeAgain = () => {
    if (connection !== undefined) conformance = probe(connection)
  }

  return {
    state: () => (sealed ? 'sealed' : connection === undefined ? 'down' : 'ready'),
    reason: () => reason,
    connection() {
      if (connection === undefined) throw new Fault(sealed ? 'hsm.sealed' : 'hsm.unavailable', reason)
      return connection
    },
    open,
    reopen,
    check() {
      if (connection !== undefined && !canaryPasses(connection)) reopen()
    },
    ...anewLook,
    takeUpFloors() {
      connection?.keys.dropDeleted()
      if (connection?.roots.lookForKnown() === true) probeAgain()
    },
    epoch: () => epoch,
    conformance: () => conformance,
    probeAgain,
    close() {
      connection = undefined
      reason = 'The process that holds the token is stopping.'
      if (lib !== undefined) finalize(lib)
    },
  }
}

/** Number of objects to remember that were looked for and do not exist. */
const mostMissing = 1_000
/** Pause after reopening, in multiples of its duration: reopening takes a twentieth of the time at most. */
const pausePerLook = 20
const shortestPauseMs = 1_000

/**
 * SoftHSM2 reads all objects when it is initialised. Later it may miss objects of other processes (`noticeChanges`), so
 * only reopening finds them reliably.
 */
function createAnewLook(reopen: () => void): Pick<TokenLink, 'looksAnewFor' | 'noteGone'> {
  const missing = createRecentMap<true>({ limit: mostMissing })
  const noteGone = (id: string): void => missing.set(id, true)
  let notBefore = 0
  return {
    noteGone,
    looksAnewFor(id) {
      if (missing.get(id) !== undefined) return false
      const began = performance.now()
      if (began < notBefore)
        throw new Fault(
          'hsm.unavailable',
          'The token does not show this key, and was asked again just now: try again later.',
        )
      reopen()
      noteGone(id)
      const ended = performance.now()
      notBefore = ended + Math.max(shortestPauseMs, pausePerLook * (ended - began))
      return true
    },
  }
}

function canaryPasses(connection: Connection): boolean {
  try {
    connection.canary()
    return true
  } catch (error) {
    if (error instanceof TokenFailure) return false
    throw error
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof PinRefused) return error.message
  const reason =
    error instanceof TokenFailure ? `The token that hsm.token names fails: ${error.message}.` : errorMessageOf(error)
  if (mayOpenMoreFiles()) return reason
  // Modules then say CKR_GENERAL_ERROR. What failed is named as well, since it may have failed all the same.
  return `This process may open no more files: ${raiseOpenFiles}. ${reason}`
}
