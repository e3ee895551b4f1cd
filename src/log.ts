import { pino } from 'pino'

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
  'parameters',
]
const paths = [...secretNames.flatMap((name) => [name, `*.${name}`]), '["x-http-token"]', '*["x-http-token"]']

/** Writes to standard output, at once, so that nothing is lost when the process exits. */
export function createLog(options: { readonly level: string; readonly name: string }): Log {
  return pino({
    ...options,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths, censor: '[secret]' },
  })
}
