import { decodeBase64 } from '../encoding/base64.ts'
import { entriesFor, type KeyEntry, type KeyOperation, type KeyScope, type Scope } from './scope.ts'

/** Items of one call that the same entries allow, each of which has a limit. */
export interface LimitedItems {
  /** In the order of the grants: the first that has enough left is used. */
  readonly entries: readonly KeyEntry[]
  readonly count: number
}

/** Which member of which vault. */
export interface DailyPlace {
  readonly vaultId: number
  readonly userId: number
}

/** What limits how many items a day grants allow. */
export interface DailyUse {
  /**
   * Counts all of them, or none.
   * @throws Fault `access.used_up`, which says when to try again
   */
  spend(place: DailyPlace, items: readonly LimitedItems[]): Promise<void>
}

const bound: ReadonlySet<KeyOperation> = new Set(['encrypt', 'decrypt', 'rewrap', 'datakey'])
const none = Buffer.alloc(0)

/**
 * The items of a call that no entry without a limit allows. What no entry allows at all is not counted: it is refused where
 * it would be used.
 * @param aads the additional data of each item in base64
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
    const place = nameOf(scope, allowing)
    const known = limited.get(place) ?? { entries: allowing.map(({ entry }) => entry), count: 0 }
    known.count += 1
    limited.set(place, known)
  }
  return [...limited.values()]
}

/** What is no base64 is refused later, and is nothing here. */
const aadOf = (text: string | undefined): Buffer => (text === undefined ? none : (decodeBase64(text) ?? none))

const nameOf = ({ keys }: Scope, entries: readonly KeyScope[]): string =>
  entries.map((entry) => keys.indexOf(entry)).join(' ')
