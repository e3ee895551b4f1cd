import { EntitySchema, In, LessThan, MoreThan, Not } from 'typeorm'
import { Fault, isFault } from '../fault.ts'
import type { FloorHeads, FloorNews } from '../hsm/floor-news.ts'
import type { Hsm } from '../hsm/hsm.ts'
import type { Log } from '../log.ts'
import { bytes, integer, primary, text } from '../store/columns.ts'
import type { Store } from '../store/store.ts'

interface FloorBatch {
  readonly machine: string
  readonly number: number
  readonly record: Buffer
  readonly seal: Buffer
}

export const FloorBatchTable = new EntitySchema<FloorBatch>({
  name: 'FloorBatch',
  tableName: 'floor_news',
  columns: { machine: primary(text), number: primary(integer), record: bytes, seal: bytes },
})

const pauseMs = 2_000
const batchesAtOnce = 50

export interface FloorCourierOptions {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'floorNews' | 'takeFloors'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Takes the news of other keepers to this machine's keeper, and its news to the database, once.
 * @param report told why news was not taken in; what comes after it is carried all the same
 */
export async function carryFloorNews(
  { store, hsm }: Pick<FloorCourierOptions, 'store' | 'hsm'>,
  report: (error: unknown) => void,
): Promise<void> {
  const standing = await hsm.floorNews()
  const batches = await newBatches(store, standing)
  // First, so that the keeper knows the newest records of others before its own news is read.
  if (batches.length > 0) await hsm.takeFloors(batches).catch(report)
  // After the batches, so that no head is older than a batch that was just taken in.
  const { machine, batch, prune } = await hsm.floorNews(await headsOf(store, standing, batches))
  const carried = store.transaction(async (tx) => {
    if (batch !== undefined && !(await tx.existsBy(FloorBatchTable, { machine, number: batch.number })))
      await tx.insert(FloorBatchTable, { machine, number: batch.number, ...batch.sealed })
    if (prune > 0) await tx.delete(FloorBatchTable, { machine, number: LessThan(prune) })
  })
  await carried.catch((error: unknown) => {
    // The daemon and a command of the operator may carry the same batch at once.
    if (!isFault(error, 'store.conflict')) throw error
  })
}

/**
 * Exchanges news between keepers through the database, in the first worker of each machine only. It reads new rows by
 * key, so that a round without news takes as many small queries as there are machines.
 */
export function startFloorCourier({ store, hsm, log }: FloorCourierOptions): { stop(): Promise<void> } {
  let reported: string | undefined
  let stopping = false
  let underWay = Promise.resolve()
  let timer = setTimeout(turn, 0)

  async function carry(): Promise<void> {
    await carryFloorNews({ store, hsm }, report)
    reported = undefined
  }

  /** Reports a failure once until the next success, because the other side may be away for long. */
  function report(error: unknown): void {
    const news = error instanceof Fault ? error.message : String(error)
    if (news !== reported)
      log.warn({ err: error }, 'the keepers of several machines cannot tell each other what is newest')
    reported = news
  }

  function turn(): void {
    underWay = carry()
      .catch(report)
      .finally(() => {
        if (!stopping) timer = setTimeout(turn, pauseMs)
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

function newBatches({ read }: Store, { machine, known }: FloorNews): Promise<FloorBatch[]> {
  const others = Object.entries(known)
  return read.find(FloorBatchTable, {
    where: [
      { machine: Not(In([machine, ...Object.keys(known)])) },
      ...others.map(([name, number]) => ({ machine: name, number: MoreThan(number) })),
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
  const machines = new Set([machine, ...Object.keys(known), ...batches.map((batch) => batch.machine)])
  const heads = [...machines].map(async (name): Promise<[string, number]> => {
    const [last] = await read.find(FloorBatchTable, {
      select: { number: true, machine: true },
      where: { machine: name },
      order: { number: 'DESC' },
      take: 1,
    })
    return [name, last?.number ?? 0]
  })
  return Object.fromEntries(await Promise.all(heads))
}
