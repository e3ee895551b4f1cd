import { tmpdir } from 'node:os'
import { CommanderError } from 'commander'
import { faultCatalogue } from '../http/contract/faults.ts'
import { BackupError } from '../backup/backup-error.ts'
import { ConfigError } from '../config/loader.ts'
import { errorCodeOf, errorMessageOf, Fault } from '../fault.ts'
import { PinRefused, TokenFailure } from '../hsm/pkcs11/failure.ts'

/** Exit codes of all commands, which have the same meaning as those of the daemon; `strongroom --help` lists them. */
export const exitCodes = { done: 0, refused: 1, usage: 2, token: 3, store: 4, audit: 6 } as const

/** The command line cannot be used; the message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof UsageError || error instanceof ConfigError) return exitCodes.usage
  if (error instanceof TokenFailure) return exitCodes.token
  if (!(error instanceof Fault)) return exitCodes.refused
  if (error.code.startsWith('hsm.')) return exitCodes.token
  if (error.code === 'store.unavailable') return exitCodes.store
  return error.code === 'audit.unavailable' ? exitCodes.audit : exitCodes.refused
}

/** A message for people: what failed, why, and what to do. It never contains a stack trace. */
export function sentenceOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof BackupError) return error.message
  if (error instanceof TokenFailure) {
    return error instanceof PinRefused ? error.message : `The token that hsm.token names fails: ${error.message}.`
  }
  if (error instanceof Fault) return `${error.detail ?? faultCatalogue[error.code].text}${causeOf(error)}`
  if (errorCodeOf(error) === 'ENOSPC')
    return `A disk is full: make room below ${tmpdir()}, or where "strongroom doctor --only 'disk space'" says.`
  return fileSentenceOf(error) ?? `An unexpected error: ${errorMessageOf(error)}`
}

/** For an error of the file system that names a path; undefined for others. */
function fileSentenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('path' in error) || typeof error.path !== 'string') return undefined
  const { path } = error
  const code = errorCodeOf(error)
  if (code === 'ENOENT') return `${path} does not exist.`
  if (code === 'EACCES' || code === 'EPERM')
    return `${path} is not open to this user (${code}): run the command as root, or correct the owner and mode of the file and of the folders above it.`
  return `${path} cannot be used (${code}).`
}

function causeOf({ cause, message }: Fault): string {
  if (!(cause instanceof Error) || message.includes(cause.message)) return ''
  return ` (${cause.message.split('\n')[0]})`
}
