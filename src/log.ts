import { pino } from 'pino'
import { createJournalOutput, droppedLines } from './journal-output.ts'

/**
 * The journal: one JSON object per line. Callers pass an error or named fields, never a request, a body or an envelope.
 */
export type Log = pino.Logger

/**
 * Members that would contain a secret if code logged the wrong object. They are replaced at the top level and one level
 * down.
 */
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

/** Writes to standard output, immediately if possible; see `journal-output.ts`. */
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
