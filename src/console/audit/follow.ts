import type { Command } from 'commander'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRecordFilter, type RecordCriteria } from '../../audit/reading/record-filter.ts'
import { seekTime } from '../../audit/reading/time-seek.ts'
import { endOfTrail, readOn } from '../../audit/reading/trail-tail.ts'
import type { ReadRecord } from '../../audit/reading/trail-record.ts'
import { listSegments } from '../../audit/segment.ts'
import type { ReadPoints } from '../../audit/witness/head-reader.ts'
import { UsageError } from '../exit-code.ts'
import type { Invocation } from '../invocation.ts'
import { linesOf } from './record-lines.ts'
import { addRecordOptions, criteriaOf, directoriesOf, timeHelp, type RecordOptions } from './record-options.ts'

const help = `${timeHelp}

Shows records as they are written, from now on or since a time, until it is interrupted (Ctrl-C)
or the time of --until has passed.

Examples:
  strongroom audit follow
  strongroom audit follow --since 10m --outcome refused
  strongroom --json audit follow --vault 17 | jq -r .operation`

const lookMs = 300
const bytesAtOnce = 2 ** 20

export function addAuditFollow(audit: Command): void {
  addRecordOptions(
    audit.command('follow').summary('show records as they are written').description('show records as they are written'),
  )
    .addHelpText('after', help)
    .action(async function (this: Command, options: RecordOptions) {
      const invocation = this.optsWithGlobals<Invocation>()
      const [directory, another] = directoriesOf(options, invocation)
      if (directory === undefined || another !== undefined)
        throw new UsageError('follow reads one folder: give --directory once.')
      const records = follow(directory, criteriaOf(options, Date.now()))
      await invocation.terminal.printAll(linesOf(records, invocation.terminal, invocation.json === true))
    })
}

async function* follow(directory: string, criteria: RecordCriteria): AsyncGenerator<ReadRecord, void> {
  const filter = createRecordFilter(criteria)
  let points = await startOf(directory, criteria)
  while (Date.now() < (criteria.until ?? Infinity)) {
    const news = await readOn(directory, points, bytesAtOnce)
    for (const one of news.records) if (filter(one.record)) yield one
    ;({ points } = news)
    if (news.records.length === 0) await sleep(lookMs)
  }
}

async function startOf(directory: string, { since }: RecordCriteria): Promise<ReadPoints> {
  if (since === undefined) return endOfTrail(directory)
  const points: Record<string, ReadPoints[string]> = {}
  for (const [chain, segments] of await listSegments(directory))
    points[chain] = await seekTime(directory, segments, since)
  return points
}
