import { z } from 'zod'
import { milliseconds, positive, whole } from './value-shapes.ts'

export const warnings = z.strictObject({
  everyMs: milliseconds.default(60_000).describe('How often the daemon looks at what it warns of.'),
  freeMiB: positive
    .default(1024)
    .describe(
      'Room on a disk, in MiB, below which it warns, but at most a quarter of the disk; below a tenth of it, that calls will be refused.',
    ),
  certificateDays: positive
    .default(30)
    .describe(
      'Days before the end of a certificate from which on it warns; of revocation lists smartcard.crlWarningMs.',
    ),
  tokenPercent: whole(1, 99)
    .default(5)
    .describe('Room in the memory of the token, in percent, below which it warns, where the token tells.'),
  clockMs: milliseconds
    .default(60_000)
    .describe('How far the clock may be behind what the appliance did before, or jump, before it warns.'),
  backupHours: positive
    .max(100_000)
    .default(36)
    .describe(
      'How old the newest backup in backup.directory may be, in hours, before it warns; four times as old is a problem.',
    ),
})
