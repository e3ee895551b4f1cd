import { ConfigError } from '../config/loader.ts'
import { Fault } from '../fault.ts'

/** Exit codes of the daemon; `strongroomd --help` lists them. */
export const exitCodes = { stopped: 0, internal: 1, configuration: 2, token: 3, store: 4, port: 5, audit: 6 } as const

/** Why a process ended: an exit code, and a sentence for the administrator. */
export interface Ending {
  readonly code: number
  readonly message: string
}

/** A process that could not do its work, as it told in its last words. */
export class EndingError extends Error {
  override readonly name = 'EndingError'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.message)
    this.ending = ending
  }
}

/** The ending that an error at the start means; `section` of the configuration says where to listen. */
export function endingOf(error: unknown, section = 'http'): Ending {
  if (error instanceof EndingError) return error.ending
  if (error instanceof ConfigError) return { code: exitCodes.configuration, message: error.message }
  if (error instanceof Fault) return { code: faultExitCode(error), message: withCause(error) }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
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

const port = (message: string): Ending => ({ code: exitCodes.port, message })

function faultExitCode(fault: Fault): number {
  const area = fault.code.split('.')[0]
  if (area === 'hsm') return exitCodes.token
  if (area === 'store') return exitCodes.store
  return area === 'audit' ? exitCodes.audit : exitCodes.internal
}

function withCause(fault: Fault): string {
  return fault.cause instanceof Error ? `${fault.message} (${fault.cause.message})` : fault.message
}
