import { z } from 'zod'
import { whole } from './value-shapes.ts'

const perMinute = whole(1, 1_000_000)

/** Limits on calls of one user; those of all users together are ten times as high. */
export const quotas = z.strictObject({
  keysPerMinute: perMinute
    .default(1_200)
    .describe('Keys that one user may have made, rotated, imported or restored in a minute, per worker.'),
  rsaKeysPerMinute: perMinute.default(30).describe('RSA keys that one user may have made in a minute, per worker.'),
  passphrasesPerMinute: perMinute
    .default(10)
    .describe('Times in a minute that one user may try to change the own pass phrase, per worker.'),
  linksPerMinute: perMinute.default(30).describe('One-time links that one user may make in a minute, per worker.'),
  longListsPerMinute: perMinute
    .default(60)
    .describe(
      'Lists with more than 4 MiB of open fields, and searches in SQLite through long texts, that one user may have in a minute, per worker.',
    ),
  relocationsPerMinute: perMinute
    .default(600)
    .describe('Folders and files that one user may copy, or move to another vault, in a minute, per worker.'),
  filesPerMinute: perMinute
    .default(600)
    .describe('Files and certificates that one user may have read and recognised in a minute, per worker.'),
})
