import type { TrailRecord } from './trail-record.ts'

/** Conditions for records; absent ones are not checked. */
export interface RecordCriteria {
  /** Only records from this time on, in milliseconds since the Unix epoch. */
  readonly since?: number | undefined
  /** Only records before this time, in milliseconds since the Unix epoch. */
  readonly until?: number | undefined
  /** A username, or a user id. */
  readonly user?: string | undefined
  readonly vault?: string | undefined
  readonly key?: string | undefined
  /** The whole subject, or its part before the colon: `object 7` also matches `object 7: password`. */
  readonly subject?: string | undefined
  /** A whole name, or a prefix followed by a star: `transparent.*`. */
  readonly operation?: string | undefined
  /** `allowed`, `noted`, a fault code, or `refused` for any fault code. */
  readonly outcome?: string | undefined
}

export type RecordFilter = (record: TrailRecord) => boolean

export function createRecordFilter(criteria: RecordCriteria): RecordFilter {
  const { since = -Infinity, until = Infinity, user, vault, key, subject, operation, outcome } = criteria
  const isOperation = matcherOf(operation)
  return (record) =>
    record.at >= since &&
    record.at < until &&
    (user === undefined || record.username === user || String(record.userId) === user) &&
    (vault === undefined || record.vault === vault) &&
    (key === undefined || record.key === key) &&
    (subject === undefined || record.subject === subject || record.subject?.startsWith(`${subject}:`) === true) &&
    isOperation(record.operation) &&
    (outcome === undefined || record.outcome === outcome || (outcome === 'refused' && isRefusal(record)))
}

export const isRefusal = ({ outcome }: TrailRecord): boolean => outcome !== 'allowed' && outcome !== 'noted'

function matcherOf(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined) return () => true
  if (!pattern.endsWith('*')) return (text) => text === pattern
  const beginning = pattern.slice(0, -1)
  return (text) => text.startsWith(beginning)
}
