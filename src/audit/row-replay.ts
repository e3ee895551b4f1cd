import type { LinePosition, RowFinding } from './audit-report.ts'
import { createClockFalls } from './clock-falls.ts'
import { createPlaceReplay, possibleAt, type Places } from './object-places.ts'

/** A row of the database, described as in `RecordedRows`. */
export interface CurrentRow {
  readonly state: string
  /** The same state as an earlier release described it, if that differs. */
  readonly earlier?: string
  /** The row's own creation time, in milliseconds since the Unix epoch. */
  readonly since: number
}

/** The rows of the database whose states the trail records, as they are. */
export interface CurrentRows {
  readonly rows: ReadonlyMap<string, CurrentRow>
  readonly places: Places
}

export interface RowReport {
  readonly compared: number
  /** Number of rows older than the first record with rows, which cannot be judged. */
  readonly unjudged: number
  readonly findings: readonly RowFinding[]
}

interface Told {
  readonly state: string | null
  at: number
  readonly chain: string
  readonly position: LinePosition
}

const keptStates = 64

/** Collects the row states in the records of a trail, and compares them with the current rows. */
export interface RowReplay {
  /** Takes the body of an event's line. */
  readonly event: (body: string, position: LinePosition) => void
  /** `readAt`: when the rows were read, which must be before the trail is read. */
  compare(current: CurrentRows, readAt: number): RowReport
}

/** The told states of each row, by time. */
function createToldStates() {
  const told = new Map<string, Told[]>()
  return {
    told,
    tell(row: string, one: Told): void {
      const states = told.get(row) ?? []
      // The chains of several processes are read in parallel: sort their records by time.
      let at = states.length
      while (at > 0 && (states[at - 1]?.at ?? 0) > one.at) at -= 1
      states.splice(at, 0, one)
      if (states.length > keptStates) states.shift()
      told.set(row, states)
    },
    /** Dates what this chain has told no later than this. */
    bound(chain: string, until: number): void {
      for (const states of told.values()) {
        for (const one of states) if (one.chain === chain) one.at = Math.min(one.at, until)
        states.sort((a, b) => a.at - b.at)
      }
    },
  }
}

/** Row states from before `knownFrom` are ignored, because archived records may have replaced them. */
export function createRowReplay(knownFrom = 0): RowReplay {
  const replayed = createToldStates()
  const { told } = replayed
  const places = createPlaceReplay()
  const falls = createClockFalls()
  let first = Infinity

  /** The recorded states of a row. The removal of a vault also removes its keys and members. */
  function statesOf(row: string): readonly Told[] {
    const ofRow = told.get(row) ?? []
    const [, vault] = /^(?:key|member) (\d+)\//.exec(row) ?? []
    const removal =
      vault === undefined ? undefined : told.get(`vault ${vault}`)?.findLast(({ state }) => state === null)
    const last = ofRow.at(-1)
    return removal !== undefined && last !== undefined && removal.at >= last.at ? [...ofRow, removal] : ofRow
  }

  function judge(row: string, current: CurrentRow | undefined, readAt: number): Omit<RowFinding, 'row'> | undefined {
    const states = statesOf(row)
    const last = states.at(-1)
    if (last === undefined)
      return current === undefined || current.since < first
        ? undefined
        : { kind: 'unknown', detail: 'It was made without a record.' }
    if (possibleAt(states, readAt).some(({ state }) => isIn(current, state))) return undefined
    const by = `line ${last.position.line} of ${last.position.file}`
    if (current === undefined) return { kind: 'missing', detail: `By ${by} it is ${last.state}.` }
    if (last.state === null) return { kind: 'removed', detail: `It was removed by ${by}, and is there.` }
    const before = states.findLast(({ state }) => state === current.state || state === current.earlier)
    if (before !== undefined || isLower(current.state, last.state))
      return { kind: 'older', detail: `It is ${current.state}, and by ${by} became ${last.state}.` }
    return { kind: 'changed', detail: `It is ${current.state}, which no record tells; by ${by} it is ${last.state}.` }
  }

  return {
    event(body, position) {
      if (!body.includes('"rows":{')) return
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the line has been checked against its chain
      const { rows = {}, rowsAt = 0 } = JSON.parse(`{${body}}`) as {
        rows?: Record<string, string | null>
        rowsAt?: number
      }
      if (rowsAt < knownFrom) return
      first = Math.min(first, rowsAt)
      const chain = falls.chainOf(position.file)
      if (falls.isFall(chain, rowsAt)) for (const one of [replayed, places]) one.bound(chain, rowsAt - 1)
      for (const [row, state] of Object.entries(rows))
        if (!places.tell(row, state, rowsAt, chain)) replayed.tell(row, { state, at: rowsAt, chain, position })
    },
    compare({ rows, places: current }, readAt) {
      const names = [...new Set([...rows.keys(), ...told.keys()])].toSorted()
      const findings = names.flatMap((row) => {
        const finding = judge(row, rows.get(row), readAt)
        return finding === undefined ? [] : [{ row, ...finding }]
      })
      const unjudged = [...rows].filter(([row, { since }]) => !told.has(row) && since < first).length
      const objects = places.compare(current, readAt)
      const compared = rows.size - unjudged + objects.compared
      return { compared, unjudged, findings: [...findings, ...objects.findings] }
    },
  }
}

const isIn = (current: CurrentRow | undefined, told: string | null): boolean =>
  isState(current?.state ?? null, told) || (current?.earlier !== undefined && isState(current.earlier, told))

/** Counters increase without a record for each step (decision 11), so a higher one counts as the same state. */
function isState(current: string | null, told: string | null): boolean {
  if (current === null || told === null || current === told) return current === told
  return withoutCounter(current) === withoutCounter(told) && counterOf(current) >= counterOf(told)
}

const isLower = (current: string, told: string): boolean =>
  withoutCounter(current) === withoutCounter(told) && counterOf(current) < counterOf(told)

const withoutCounter = (state: string): string => state.replace(/ counter=\d+$/, '')
const counterOf = (state: string): number => Number(/ counter=(\d+)$/.exec(state)?.[1] ?? 0)
