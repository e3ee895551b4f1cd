import type { PKCS11 } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { HostStatus } from '../hsm.ts'
import { connect, type Connection, openToken } from './connection.ts'
import { probe } from './conformance.ts'
import { TokenFailure } from './failure.ts'
import { finalize, loadModule } from './module.ts'
import { parseTokenUri } from './token-uri.ts'

export interface TokenOptions {
  /** PKCS#11 module (`hsm.module`). */
  readonly module: string
  /** RFC 7512 URI (`hsm.token`). */
  readonly uri: string
  readonly softhsmConf?: string | undefined
  /** Unwrapped keys to keep (`hsm.handles`). */
  readonly handles: number
  /** Reads the PIN at every login; it is kept nowhere. */
  readonly readPin: () => string
}

/** The one place that knows which connection is good now, or why there is none. */
export interface TokenLink {
  state(): HostStatus['state']
  /** Why it is not ready. */
  reason(): string | undefined
  /** Throws `hsm.sealed` or `hsm.unavailable` when there is none. */
  connection(): Connection
  /** One try to reach a token that is down; the state says whether it worked. Does nothing when ready or sealed. */
  open(): void
  /** Gives the connection up with every handle in it, and opens another: a new epoch. */
  reopen(): void
  /** Opens anew where the KEK does not wrap any more. */
  check(): void
  /** Grows by one with every connection. */
  epoch(): number
  /** Results of the conformance probe of this epoch. */
  conformance(): Readonly<Record<string, string>>
  /** C_Finalize: ends sessions and login. */
  close(): void
}

const sealedReason =
  'The token refused the PIN. It is not tried again, so that the token does not lock: correct hsm.pinFile and restart the token hosts.'

/** Does not touch the token yet: `open` does. */
export function createTokenLink(options: TokenOptions): TokenLink {
  let lib: PKCS11 | undefined
  let connection: Connection | undefined
  let conformance: Readonly<Record<string, string>> = {}
  let epoch = 0
  let sealed = false
  let reason: string | undefined = 'The token has not been opened yet.'

  const reach = () => {
    const selector = parseTokenUri(options.uri)
    lib ??= loadModule({ path: options.module, softhsmConf: options.softhsmConf })
    const opened = connect(lib, openToken(lib, selector, options.readPin), options.handles)
    conformance = probe(opened)
    epoch += 1
    connection = opened
    reason = undefined
  }

  const open = () => {
    if (sealed || connection !== undefined) return
    try {
      reach()
    } catch (error) {
      sealed = error instanceof TokenFailure && error.remedy === 'fatal'
      reason = sealed ? sealedReason : reasonOf(error)
    }
  }

  const reopen = () => {
    connection = undefined
    open()
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
      if (connection !== undefined && !isAlive(connection)) reopen()
    },
    epoch: () => epoch,
    conformance: () => conformance,
    close() {
      connection = undefined
      reason = 'The token host is stopping.'
      if (lib !== undefined) finalize(lib)
    },
  }
}

function isAlive(connection: Connection): boolean {
  try {
    connection.canary()
    return true
  } catch (error) {
    if (error instanceof TokenFailure) return false
    throw error
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TokenFailure) return `The token that hsm.token names fails: ${error.message}.`
  return error instanceof Error ? error.message : String(error)
}
