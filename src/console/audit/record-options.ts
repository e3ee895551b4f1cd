import type { Command } from 'commander'
import { existsSync, statSync } from 'node:fs'
import { bundleName } from '../../audit/archive/archive-manifest.ts'
import { archiveFolder } from '../../audit/archive/archived-files.ts'
import { readMerged } from '../../audit/reading/merged-trail.ts'
import type { RecordCriteria } from '../../audit/reading/record-filter.ts'
import type { ReadRecord } from '../../audit/reading/trail-record.ts'
import { loadConfig } from '../../config/loader.ts'
import { UsageError } from '../exit-code.ts'
import { several, type Invocation } from '../invocation.ts'
import { dateOf } from '../output/command-answer.ts'
import { missingFolder, refuseWithoutTrail } from './verification-input.ts'

/** The options of a command that select records. */
export interface RecordOptions {
  readonly since?: string
  readonly until?: string
  readonly user?: string
  readonly vault?: string
  readonly key?: string
  readonly operation?: string
  readonly outcome?: string
  readonly directory?: readonly string[]
  readonly archive?: readonly string[]
}

export const timeHelp = `
Times are UTC: 2026-10-01, '2026-10-01 14:30', or how long ago: 90s, 30m, 8h, 7d, 2w.`

export function addRecordOptions(command: Command): Command {
  return command
    .option('--since <time>', 'records from this time on')
    .option('--until <time>', 'records before this time')
    .option('--user <name>', 'a username, or the number of a user')
    .option('--vault <id>', 'the number of a vault')
    .option('--key <name>', 'the name of a key')
    .option('--operation <name>', 'what was asked for: key.rotate, or console.* for all of a kind')
    .option('--outcome <word>', 'allowed, noted, refused, or the code of a fault')
    .option('--directory <folder>', 'folder of a trail, not audit.directory; may be given again', several)
}

export function criteriaOf(options: RecordOptions, now: number): RecordCriteria {
  const { since, until, user, vault, key, operation, outcome } = options
  return { since: momentOf(since, now), until: momentOf(until, now), user, vault, key, operation, outcome }
}

/** Adds the options for commands that also read bundles of `strongroom audit archive`. */
export function addTrailOptions(command: Command): Command {
  return addRecordOptions(command).option(
    '--archive <folder>',
    'where archived bundles are, beside the folder archive of the trail; may be given again',
    several,
  )
}

/** All records that the options select, including those in bundles. Prints which bundles are missing. */
export function recordsOf(options: RecordOptions, invocation: Invocation): AsyncGenerator<ReadRecord, void> {
  const trails = directoriesOf(options, invocation).map((directory) => ({
    directory,
    archives: [archiveFolder(directory), ...(options.archive ?? [])],
  }))
  for (const one of options.archive ?? [])
    if (statSync(one, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new UsageError(`${one} is no folder: name the one of the archived bundles with --archive.`)
  return readMerged(trails, criteriaOf(options, Date.now()), (archive) =>
    invocation.terminal.complain(
      `strongroom: not shown: records ${archive.before.seq + 1} to ${archive.last.seq} of ${archive.chain}, until ${dateOf(archive.until)}, which ${bundleName(archive)} holds: give its folder with --archive.`,
    ),
  )
}

/** The folders from the command line, or else the folder in the configuration. */
export function directoriesOf({ directory }: RecordOptions, invocation: Invocation): readonly string[] {
  if (directory === undefined) {
    const { audit } = loadConfig(invocation.config)
    if (!existsSync(audit.directory)) throw missingFolder(audit.directory)
    return [audit.directory]
  }
  for (const one of directory) refuseWithoutTrail(one)
  return directory
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
const dateShape = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z?)?$/

/** The time in milliseconds since the Unix epoch. @throws UsageError if the text is not a time */
export function momentOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const [, number, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (number !== undefined) return now - Number(number) * (unitsMs[unit] ?? 0)
  const iso = text.length === 10 ? text : `${text.replace(' ', 'T').replace(/Z$/, '')}Z`
  const moment = dateShape.test(text) ? Date.parse(iso) : Number.NaN
  // Date.parse takes 2026-02-30 for the second of March.
  if (Number.isNaN(moment) || !new Date(moment).toISOString().startsWith(text.slice(0, 10)))
    throw new UsageError(
      `${text} is not a time: write 2026-10-01, '2026-10-01 14:30' (UTC), or 8h for eight hours ago.`,
    )
  return moment
}
