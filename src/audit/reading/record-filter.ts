import type { TrailRecord } from './trail-record.ts'

/** What records must be like; what is absent does not matter. */
export interface RecordCriteria {
  /** First moment, in milliseconds since the Unix epoch. */
  readonly since?: number | undefined
  /** Only records before this time. */
  readonly until?: number | undefined
  /** A username, or the number of a user. */
  readonly user?: string | undefined
  readonly vault?: string | undefined
  readonly key?: string | undefined
  /** The whole subject, or what stands before the colon in it: `object 7` also of `object 7: password`. */
  readonly subject?: string | undefined
  /** The whole name, or its beginning with a star at its end: `transparent.*`. */
  readonly operation?: string | undefined
  /** `allowed`, `noted`, the code of a fault, or `refused` for any of those. */
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
