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

/**
 * A record as a line for people. The widths of the columns are fixed, because the first line is printed before the
 * others are read.
 */
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
  // A record contains text from callers. Control characters are replaced, so that it cannot move the cursor.
  return `${parts.join(', ').replace(/\p{Cc}/gu, '?')} (${chain} ${seq})`
}

/** The output of a command that shows records: the original lines (`isJson`), or lines for people. */
export async function* linesOf(
  records: AsyncIterable<ReadRecord>,
  terminal: Terminal,
  isJson: boolean,
): AsyncGenerator<string, void> {
  if (!isJson) yield recordHeading
  for await (const one of records) yield isJson ? one.text : recordLine(one, terminal)
}
