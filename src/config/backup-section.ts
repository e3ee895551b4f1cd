import { z } from 'zod'
import { path, whole } from './value-shapes.ts'

const kept = (what: string, number: number) => whole(0, 10_000).default(number).describe(what)

const keep = z.strictObject({
  newest: whole(1, 10_000).default(3).describe('This many of the newest backups are kept.'),
  daily: kept('For this many days, the last backup of each day is kept.', 7),
  weekly: kept('For this many weeks, the last backup of each week is kept.', 8),
})

export const backup = z.strictObject({
  recipients: z
    .array(z.string().startsWith('age1', 'must be a recipient of age, age1…'))
    .min(1)
    .describe('To whom backups are encrypted: public keys that "strongroom backup identity" or age-keygen(1) shows.'),
  directory: path.describe(
    'Folder where "strongroom backup run" puts backups; on another disk than the data, best elsewhere.',
  ),
  keep: keep.prefault({}).describe('Which backups in the folder stay when another one was made.'),
})
