import { And, EntitySchema, Equal, In, LessThan, LessThanOrEqual, MoreThan, Not, Raw } from 'typeorm'
import { Fault, isFault } from '../fault.ts'
import { type FloorHeads, type FloorNews, machineForm } from '../hsm/floor-news.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { listLimits } from '../hsm/protocol/fields.ts'
import type { Log } from '../log.ts'
import { bytes, integer, primary, text } from '../store/columns.ts'
import type { Store } from '../store/store.ts'

/** Identifies a row of the table, for reading on after it. Whose batch it is only the sealed record says. */
interface RowKey {
  readonly machine: string
  readonly number: number
}

interface FloorBatch extends RowKey {
  readonly record: Buffer
  readonly seal: Buffer
}

export const FloorBatchTable = new EntitySchema<FloorBatch>({
  name: 'FloorBatch',
  tableName: 'floor_news',
  columns: { machine: primary(text), number: primary(integer), record: bytes, seal: bytes },
})

const pauseMs = 2_000
const batchesAtOnce = listLimits.takeFloors
/** The pause where there are more, for the keeper's other requests. */
const shortPauseMs = 200

export interface FloorCourierOptions {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'floorNews' | 'takeFloors'>
  readonly log: Pick<Log, 'warn'>
}

const beginning: RowKey = { machine: '', number: 0 }
// An attacker may have put in rows under other names and numbers, which are no places of batches.
const possible = LessThanOrEqual(Number.MAX_SAFE_INTEGER)

/** See `carrySomeNews`: carries all that there is. */
export async function carryFloorNews(
  on: Pick<FloorCourierOptions, 'store' | 'hsm'>,
  report: (error: unknown) => void,
): Promise<void> {
  let after: RowKey | undefined = beginning
  while (after !== undefined) after = await carrySomeNews(on, report, after)
}

/**
 * Takes the next news of other keepers to this machine's keeper, and its news to the database.
 * @param report told why news was not taken in; what comes after it is carried all the same
 * @returns where to go on; undefined where there is no more. A row that is not taken in, such as an attacker's, keeps
 * none after it waiting.
 */
async function carrySomeNews(
  { store, hsm }: Pick<FloorCourierOptions, 'store' | 'hsm'>,
  report: (error: unknown) => void,
  after: RowKey,
): Promise<RowKey | undefined> {
  const standing = await hsm.floorNews()
  const batches = await newBatches(store, standing, after)
  // First, so that the keeper knows the newest records of others before its own news is read.
  if (batches.length > 0) await hsm.takeFloors(batches).catch(report)
  // After the batches, so that no head is older than a batch that was just taken in.
  const { machine, batch, prune, epoch } = await hsm.floorNews(await headsOf(store, standing, batches))
  const carried = store.transaction(async (tx) => {
    if (batch !== undefined && !(await tx.existsBy(FloorBatchTable, { machine, number: batch.number })))
      await tx.insert(FloorBatchTable, { machine, number: batch.number, ...batch.sealed })
    if (prune > 0) await tx.delete(FloorBatchTable, { machine, number: LessThan(prune) })
  })
  await carried.catch((error: unknown) => {
    // The daemon and a command of the operator may carry the same batch at once.
    if (!isFault(error, 'store.conflict')) throw error
  })
  if (batches.length < batchesAtOnce) return undefined
  // In a new epoch the keeper takes in nothing after the batch that began it, and asks for all again.
  return epoch === standing.epoch ? batches.at(-1) : beginning
}

/**
 * Exchanges news between keepers through the database, in the first worker of each machine only. It reads new rows by
 * key, so that a round without news takes as many small queries as there are machines.
 */
export function startFloorCourier({ store, hsm, log }: FloorCourierOptions): { stop(): Promise<void> } {
  let reported: string | undefined
  let after: RowKey | undefined
  let stopping = false
  let underWay = Promise.resolve()
  let timer = setTimeout(turn, 0)

  async function carry(): Promise<void> {
    const from = after ?? beginning
    // Where this fails, the next turn begins anew after the long pause.
    after = undefined
    after = await carrySomeNews({ store, hsm }, report, from)
    reported = undefined
  }

  /** Reports a failure once until the next success, because the other side may be away for long. */
  function report(error: unknown): void {
    const reason = error instanceof Fault ? error.message : String(error)
    if (reason !== reported)
      log.warn({ err: error }, 'the keepers of several machines cannot tell each other what is newest')
    reported = reason
  }

  function turn(): void {
    underWay = carry()
      .catch(report)
      .finally(() => {
        if (!stopping) timer = setTimeout(turn, after === undefined ? pauseMs : shortPauseMs)
      })
  }

  return {
    async stop() {
      stopping = true
      clearTimeout(timer)
      await underWay
    },
  }
}

/**
 * More than the text of a full batch has. Ten rows of an attacker's could otherwise exceed the memory of a worker, or
 * the length of a frame, and batches beside them would not be taken in.
 */
const longestText = 2 * 1024 * 1024
const isShort = Raw((column) => `octet_length(${column}) <= ${longestText}`)
const small = { record: isShort, seal: isShort }

/** As long as every name of a machine, because a longer one would be read with its row. */
const named = Raw((column) => `length(${column}) = 32`)

const numbered = (above: number) => And(MoreThan(above), possible)

function newBatches({ read }: Store, { machine, known }: FloorNews, after: RowKey): Promise<FloorBatch[]> {
  const others = Object.entries(known)
  const isBegun = after.machine !== '' && after.machine !== machine
  const next = { machine: after.machine, number: numbered(Math.max(after.number, known[after.machine] ?? 0)), ...small }
  return read.find(FloorBatchTable, {
    where: [
      ...(isBegun ? [next] : []),
      {
        machine: And(named, MoreThan(after.machine), Not(In([machine, ...Object.keys(known)]))),
        number: possible,
        ...small,
      },
      ...others.map(([name, number]) => ({
        machine: And(Equal(name), MoreThan(after.machine)),
        number: numbered(number),
        ...small,
      })),
    ],
    order: { machine: 'ASC', number: 'ASC' },
    take: batchesAtOnce,
  })
}

async function headsOf(
  { read }: Store,
  { machine, known }: FloorNews,
  batches: readonly FloorBatch[],
): Promise<FloorHeads> {
  const named = batches.map((batch) => batch.machine).filter((name) => machineForm.test(name))
  const machines = new Set([machine, ...Object.keys(known), ...named])
  const heads = [...machines].map(async (name): Promise<[string, number]> => {
    const [last] = await read.find(FloorBatchTable, {
      select: { number: true, machine: true },
      where: { machine: name, number: possible },
      order: { number: 'DESC' },
      take: 1,
    })
    return [name, last?.number ?? 0]
  })
  return Object.fromEntries(await Promise.all(heads))
}
