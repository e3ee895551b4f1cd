import { ConfigError } from '../config/loader.ts'
import { errorCodeOf, Fault } from '../fault.ts'

export const exitCodes = { stopped: 0, internal: 1, configuration: 2, token: 3, store: 4, port: 5, audit: 6 } as const

/** For the help text of the daemon. */
export const exitCodeHelp = `Exit codes:
  0  stopped as asked, or the configuration is in order (--check)
  1  an error inside the daemon
  2  the command line, the configuration or the certificate cannot be used
  3  the token cannot be used
  4  the database cannot be used
  5  the port cannot be listened on
  6  the audit trail cannot be written`

/** Why a process ends: an exit code, and a sentence for the administrator. */
export interface ExitReason {
  readonly code: number
  readonly message: string
}

/** A process cannot start its work. */
export class ExitError extends Error {
  override readonly name = 'ExitError'
  readonly reason: ExitReason

  constructor(reason: ExitReason) {
    super(reason.message)
    this.reason = reason
  }
}

/** The exit reason for an error at the start. `section`: the part of the configuration that says where to listen. */
export function exitReasonOf(error: unknown, section = 'http'): ExitReason {
  if (error instanceof ExitError) return error.reason
  if (error instanceof ConfigError) return { code: exitCodes.configuration, message: error.message }
  if (error instanceof Fault) return { code: faultExitCode(error), message: withCause(error) }
  const code = errorCodeOf(error) ?? ''
  if (code === 'EADDRINUSE')
    return port(`${section}.port is in use: stop the program that listens there, or set ${section}.port`)
  if (code === 'EADDRNOTAVAIL') return port(`${section}.host is not an address of this machine`)
  if (code === 'EACCES')
    return port(`${section}.port is not allowed to this user: ports below 1024 need CAP_NET_BIND_SERVICE`)
  if (code.startsWith('ERR_OSSL')) {
    return {
      code: exitCodes.configuration,
      message: `tls.certificate and tls.key cannot be used together: ${String(error)}`,
    }
  }
  return { code: exitCodes.internal, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

const port = (message: string): ExitReason => ({ code: exitCodes.port, message })

function faultExitCode(fault: Fault): number {
  const area = fault.code.split('.')[0]
  if (area === 'hsm') return exitCodes.token
  if (area === 'store') return exitCodes.store
  return area === 'audit' ? exitCodes.audit : exitCodes.internal
}

function withCause(fault: Fault): string {
  return fault.cause instanceof Error ? `${fault.message} (${fault.cause.message})` : fault.message
}
