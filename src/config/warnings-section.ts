import { z } from 'zod'
import { milliseconds } from './value-shapes.ts'

export const warnings = z.strictObject({
  everyMs: milliseconds.default(60_000).describe('How often the daemon looks at what it warns of.'),
  freeMiB: z
    .number()
    .int()
    .positive()
    .default(1024)
    .describe(
      'Room on a disk, in MiB, below which it warns, but at most a quarter of the disk; below a tenth of it, that calls will be refused.',
    ),
  certificateDays: z
    .number()
    .int()
    .positive()
    .default(30)
    .describe(
      'Days before the end of a certificate from which on it warns; of revocation lists smartcard.crlWarningMs.',
    ),
  tokenPercent: z
    .number()
    .int()
    .min(1)
    .max(99)
    .default(5)
    .describe('Room in the memory of the token, in percent, below which it warns, where the token tells.'),
  clockMs: milliseconds
    .default(60_000)
    .describe('How far the clock may be behind what the appliance did before, or jump, before it warns.'),
  backupHours: z
    .number()
    .int()
    .positive()
    .max(100_000)
    .default(36)
    .describe(
      'How old the newest backup in backup.directory may be, in hours, before it warns; four times as old is a problem.',
    ),
})
