import { pino } from 'pino'
import { createJournalOutput, droppedLines } from './journal-output.ts'

/**
 * The journal: one JSON object per line. Callers hand it an error or named fields, never a request, a body or an
 * envelope.
 */
export type Log = pino.Logger

/** Members that would hold a secret if code logged the wrong object; they are blanked at the top and one level down. */
const secretNames = [
  'token',
  'keys',
  'passphrase',
  'password',
  'otp',
  'apikey',
  'pin',
  'plaintext',
  'ciphertext',
  'backup',
  'authorization',
  'cookie',
  'parameters',
]
const paths = [
  ...secretNames.flatMap((name) => [name, `*.${name}`]),
  '["x-http-token"]',
  '*["x-http-token"]',
  '["set-cookie"]',
  '*["set-cookie"]',
]

/** Writes to standard output, at once where it can: see `journal-output.ts`. */
export function createLog(options: { readonly level: string; readonly name: string }): Log {
  const log: Log = pino(
    {
      ...options,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths, censor: '[secret]' },
    },
    createJournalOutput((lines) => log.warn(...droppedLines(lines))),
  )
  return log
}
