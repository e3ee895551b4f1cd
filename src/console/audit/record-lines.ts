import { isRefusal } from '../../audit/reading/record-filter.ts'
import type { ReadRecord, TrailRecord } from '../../audit/reading/trail-record.ts'
import type { Terminal } from '../output/terminal.ts'

const columns = { time: 23, outcome: 20, user: 16, operation: 26 } as const

const recordHeading = [
  'TIME (UTC)'.padEnd(columns.time),
  'OUTCOME'.padEnd(columns.outcome),
  'USER'.padEnd(columns.user),
  'OPERATION'.padEnd(columns.operation),
  'WHAT, AND FROM WHERE',
].join('  ')

/** A record in a line for people. The columns are as wide for all, since none but the first is known yet. */
function recordLine({ record }: ReadRecord, terminal: Terminal): string {
  const { at, outcome, username, userId, operation } = record
  const shown = outcome.padEnd(columns.outcome)
  return [
    new Date(at).toISOString().replace('T', ' ').slice(0, 23),
    isRefusal(record) ? terminal.coloured('red', shown) : shown,
    (username ?? (userId === undefined ? '-' : `user ${userId}`)).padEnd(columns.user),
    operation.padEnd(columns.operation),
    detailsOf(record),
  ]
    .join('  ')
    .trimEnd()
}

function detailsOf({ vault, key, keyVersion, subject, address, count, chain, seq }: TrailRecord): string {
  const parts = [
    ...(vault === undefined ? [] : [`vault ${vault}`]),
    ...(key === undefined ? [] : [`key ${key}${keyVersion === undefined ? '' : ` version ${keyVersion}`}`]),
    ...(subject === undefined ? [] : [subject]),
    ...(count === undefined ? [] : [`${count} times`]),
    ...(address === undefined ? [] : [`from ${address}`]),
  ]
  // Texts of callers stand in a record: none of them may move the cursor.
  return `${parts.join(', ').replace(/\p{Cc}/gu, '?')} (${chain} ${seq})`
}

/** The lines of a command that shows records: as they were written, or for people. */
export async function* linesOf(
  records: AsyncIterable<ReadRecord>,
  terminal: Terminal,
  isJson: boolean,
): AsyncGenerator<string, void> {
  if (!isJson) yield recordHeading
  for await (const one of records) yield isJson ? one.text : recordLine(one, terminal)
}
