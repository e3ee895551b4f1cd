import { decodeBase64 } from '../encoding/base64.ts'
import type { MembershipKey } from './permission.ts'
import { entriesFor, type KeyEntry, type KeyOperation, type KeyScope, type Scope } from './scope.ts'

/** Items of one call that may count against the same entries, each of which has a daily limit. */
export interface LimitedItems {
  /** In the order of the grants. The first entry with enough left is used. */
  readonly entries: readonly KeyEntry[]
  readonly count: number
}

/** Counts items against the daily limits of grants. */
export interface DailyUse {
  /** Counts all items or none. @throws Fault `access.used_up`, which says when to try again */
  spend(member: MembershipKey, items: readonly LimitedItems[]): Promise<void>
}

const bound: ReadonlySet<KeyOperation> = new Set(['encrypt', 'decrypt', 'rewrap', 'datakey'])
const none = Buffer.alloc(0)

/**
 * The items of a call that are allowed only by entries with a daily limit. Items that no entry allows are not counted:
 * they are refused when they are used.
 * @param aads the additional data of each item, in base64
 */
export function limitedItems(
  scope: Scope,
  operation: KeyOperation,
  name: string | undefined,
  aads: readonly (string | undefined)[],
): LimitedItems[] {
  if (scope.keys.every(({ entry }) => entry.daily === undefined)) return []
  const limited = new Map<string, { entries: readonly KeyEntry[]; count: number }>()
  for (const text of aads) {
    const aad = bound.has(operation) ? aadOf(text) : undefined
    const allowing = entriesFor(scope, operation, { name, aad })
    if (allowing.length === 0 || allowing.some(({ entry }) => entry.daily === undefined)) continue
    const entryNames = nameOf(scope, allowing)
    const known = limited.get(entryNames) ?? { entries: allowing.map(({ entry }) => entry), count: 0 }
    known.count += 1
    limited.set(entryNames, known)
  }
  return [...limited.values()]
}

/** Text that is not base64 counts as empty here, and is refused later. */
const aadOf = (text: string | undefined): Buffer => (text === undefined ? none : (decodeBase64(text) ?? none))

const nameOf = ({ keys }: Scope, entries: readonly KeyScope[]): string =>
  entries.map((entry) => keys.indexOf(entry)).join(' ')
