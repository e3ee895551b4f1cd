import { setTimeout as sleep } from 'node:timers/promises'
import type { LinePosition } from '../../audit/audit-report.ts'
import { createRowReplay, type RowReport } from '../../audit/row-replay.ts'
import type { Config } from '../../config/schema.ts'
import { currentRows } from '../../daemon/recorded-rows.ts'
import { count, wrap } from '../output/command-answer.ts'
import type { Terminal } from '../output/terminal.ts'
import { withStore } from '../console-context.ts'

/**
 * Longest time between the record of a change and its commit, in milliseconds. A change that takes longer has failed.
 */
const commitMs = 1_000

/**
 * Reads the rows of the database, which are compared with the events of the trail that the caller reads afterwards. If
 * rows differ, it reads them again, because a change may be under way: its record is in the trail before it is
 * committed.
 */
export async function readDatabase(
  config: Config,
  knownFrom: number,
): Promise<{
  readonly event: (body: string, position: LinePosition) => void
  report(): Promise<RowReport>
}> {
  const read = () => withStore(config, (store) => currentRows(store.read))
  const readAt = Date.now()
  const rows = await read()
  const replay = createRowReplay(knownFrom)
  return {
    event: replay.event,
    async report() {
      const report = replay.compare(rows, readAt)
      if (report.findings.length === 0) return report
      await sleep(commitMs)
      const again = replay.compare(await read(), Date.now())
      const before = new Set(report.findings.map(({ row }) => row))
      return { ...again, findings: again.findings.filter(({ row }) => before.has(row)) }
    },
  }
}

/** Lines for people, about each row that differs from the trail. */
export function describeRows({ compared, unjudged, findings }: RowReport, terminal: Terminal): string[] {
  return [
    ...findings.flatMap(({ row, kind, detail }) => [
      `${terminal.coloured('red', kind)}: ${row}`,
      ...wrap(detail, terminal.width - 2).map((text) => `  ${text}`),
    ]),
    ...(unjudged === 0
      ? []
      : [`${count(unjudged, 'row')} of the database are older than the first record that tells of rows.`]),
    findings.length === 0
      ? terminal.coloured('green', `${count(compared, 'row')} of the database are as the trail says.`)
      : `${count(findings.length, 'row')} of the database are not as the trail says.`,
  ]
}
