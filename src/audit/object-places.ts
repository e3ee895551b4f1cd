import type { RowFinding } from './audit-report.ts'
import type { RecordedRows } from './event.ts'

/** An object with the vault in which it lies, and its template. */
export interface PlacedObject {
  readonly id: number
  readonly vaultId: number
  readonly templateId: number
}

/** The places of objects in the database, by the ids of the objects: `vault=5 template=1`. */
export type Places = ReadonlyMap<number, string>

/**
 * Describes objects in the record of the call that made them, or that moved them out of the vault `from`:
 * `objects 17,18` with `vault=5 template=1 from=3`.
 */
export function recordedPlaces(objects: readonly PlacedObject[], from?: number): RecordedRows {
  const origin = from === undefined ? '' : ` from=${from}`
  const idsIn = new Map<string, number[]>()
  for (const object of objects) {
    const place = placeOf(object)
    if (!idsIn.get(place)?.push(object.id)) idsIn.set(place, [object.id])
  }
  return Object.fromEntries([...idsIn].map(([place, ids]) => [`objects ${ids.join(',')}`, `${place}${origin}`]))
}

/** The row, without a state, of a record of a restored database: what was told of objects before does not count. */
export const restoredObjects = 'objects'

const placeOf = ({ vaultId, templateId }: PlacedObject): string => `vault=${vaultId} template=${templateId}`

export async function placesIn(objects: AsyncIterable<PlacedObject>): Promise<Places> {
  const places = new Map<number, string>()
  const shared = createSharedTexts()
  for await (const object of objects) places.set(object.id, shared(placeOf(object)))
  return places
}

/** Returns the same text for equal ones: there are few places, and there may be a million objects. */
function createSharedTexts(): (text: string) => string {
  const texts = new Map<string, string>()
  return (text) => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
}

/**
 * Those of the told states, by time, that a row may have had when it was read: the last one before, and those of changes
 * that were under way.
 */
export function possibleAt<Told extends { readonly at: number }>(told: readonly Told[], readAt: number): Told[] {
  const settled = told.findLast(({ at }) => at < readAt)
  return told.filter((one) => one === settled || one.at >= readAt)
}

/** What a record tells of an object. */
interface Told {
  at: number
  readonly chain: string
  readonly place: string
  /** The vault out of which it was moved; undefined where it was made. */
  readonly from: string | undefined
  /** What was read before of the object. */
  readonly before: Told | undefined
}

/** Collects the places of objects in the records of a trail, and compares them with the database. */
export interface PlaceReplay {
  /** Takes a row of a record of that time; false where it is not of objects. */
  tell(row: string, state: string | null, at: number, chain: string): boolean
  /** Dates what this chain has told no later than this. */
  bound(chain: string, until: number): void
  /** `readAt`: when the places were read, which must be before the trail is read. */
  compare(places: Places, readAt: number): { readonly compared: number; readonly findings: readonly RowFinding[] }
}

export function createPlaceReplay(): PlaceReplay {
  const told = new Map<number, Told>()
  const shared = createSharedTexts()
  const restored = new Map<string, number>()
  return {
    tell(row, state, at, chain) {
      if (row === restoredObjects) {
        restored.set(chain, Math.max(restored.get(chain) ?? 0, at))
        return true
      }
      const [, ids] = /^objects ([\d,]+)$/.exec(row) ?? []
      const [, place, from] = /^(vault=\d+ template=\d+)(?: from=(\d+))?$/.exec(state ?? '') ?? []
      if (ids === undefined || place === undefined) return false
      for (const id of ids.split(',').map(Number))
        told.set(id, { at, chain, place: shared(place), from, before: told.get(id) })
      return true
    },
    bound(chain, until) {
      for (const last of told.values())
        for (let one: Told | undefined = last; one !== undefined; one = one.before)
          if (one.chain === chain) one.at = Math.min(one.at, until)
      const restoredAt = restored.get(chain)
      if (restoredAt !== undefined) restored.set(chain, Math.min(restoredAt, until))
    },
    compare(places, readAt) {
      const findings: RowFinding[] = []
      const restoredAt = Math.max(0, ...restored.values())
      let compared = 0
      for (const [id, last] of told) {
        const current = places.get(id)
        const known = sinceMade(last, restoredAt)
        if (current === undefined || known.length === 0) continue
        compared += 1
        const fault = judge(known, current, readAt)
        if (fault !== undefined) findings.push({ row: `object ${id}`, ...fault })
      }
      return { compared, findings }
    },
  }
}

/** What is told of an object since it was made last: a crash can free the number of a new object. */
function sinceMade(last: Told, restoredAt: number): readonly Told[] {
  const told: Told[] = []
  for (let one: Told | undefined = last; one !== undefined; one = one.before) if (one.at > restoredAt) told.push(one)
  // The chains of several processes are read in parallel. Of one moment, the record that was read first is the first.
  const inOrder = told.toReversed().toSorted((a, b) => a.at - b.at)
  const made = inOrder.findLastIndex(({ from }) => from === undefined)
  return inOrder.slice(Math.max(0, made))
}

/** What was moved in the database alone came to its place without a record, also where a call has moved it on since. */
function judge(told: readonly Told[], current: string, readAt: number): Omit<RowFinding, 'row'> | undefined {
  // All before, since a crash may have undone the last move.
  const vaults = new Set<string>()
  for (const { place, from } of told) {
    if (vaults.size > 0 && from !== undefined && !vaults.has(from))
      return { kind: 'changed', detail: `A call moved it out of vault ${from}, where it came without a record.` }
    vaults.add(/\d+/.exec(place)?.[0] ?? '')
  }
  if (possibleAt(told, readAt).some(({ place }) => place === current)) return undefined
  const kind = told.some(({ place }) => place === current) ? 'older' : 'changed'
  return { kind, detail: `It is in ${current}; by the trail it is in ${told.at(-1)?.place}.` }
}
