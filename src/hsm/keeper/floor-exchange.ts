import { hash } from 'node:crypto'
import { z } from 'zod'
import { createLeakyBucket, type LeakyBucket } from '../../access/leaky-bucket.ts'
import { isFault } from '../../fault.ts'
import { type FloorHeads, type FloorNews, type FloorStanding, machineForm } from '../floor-news.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { composeRecord, type FieldsOf } from '../record-layouts.ts'
import { isSealedAfter } from '../record-generation.ts'
import type { SealedRecord } from '../sealed-record.ts'
import { type ExchangeMemory, kinds, type Kind, nothingTold, openExchangeMemory, type Own } from './exchange-memory.ts'
import type { KeeperState } from './keeper-state.ts'
import type { RisenRows } from './risen-rows.ts'
import { shown } from './shown-record.ts'

/** The stores whose news is reported to others, and which take in the news of others. */
export type Exchanged = Readonly<
  Record<Kind, { readonly risen: RisenRows; take(subject: Buffer, number: number): void }>
>

/** Exchanges news with the keepers of other machines through the database. */
export interface FloorExchange {
  standing(): FloorStanding
  /** `heads`: the newest batches in the database. The same batch is given again until it is there. */
  news(heads: FloorHeads): FloorNews
  /**
   * Takes in batches of other machines.
   * @throws Fault `hsm.seal_broken`, `hsm.rejected` where one is not a batch of a keeper, after all others were taken
   * in
   */
  take(batches: readonly SealedRecord[]): void
  /**
   * The operator has accepted an older database: earlier floors do not count any more, here and on the other machines,
   * and all news is reported again.
   */
  restored(): void
}

export interface FloorExchangeDependencies {
  readonly token: Token
  readonly state: KeeperState
  readonly exchanged: Exchanged
  /**
   * Discards earlier floors, as of the time of the acceptance: see `restored`. `isElsewhere`: on another machine, some time
   * ago. What was sealed since is then no older than the accepted rows.
   */
  readonly forgetFloors: (at: number, isElsewhere: boolean) => void
  /** The name of this machine, for people. */
  readonly name: string
  readonly now: () => number
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number
  readonly report: (sentence: string) => void
}

/** Kind, subject and number. No subject in Base64 is longer. */
const entry = z.tuple([z.enum(kinds), z.string().max(400), z.int()])
type Entry = z.infer<typeof entry>

const entriesAtOnce = 2_000
/** Everything is reported again after this many batches at the earliest, so that the table stays small. */
const batchesPerRound = 256
/** And after this many times as many batches as it takes to report everything, so that this is a small part of them. */
const roundToWhole = 4
/**
 * A batch is sent at least this often, even without news. Longer silence means that the machine is off, or the database
 * withholds its batches.
 */
const heartbeatMs = 600_000
/**
 * Numbers of batches are counted on from an epoch: there are none after one near the largest safe integer. Far beyond all
 * times, an epoch is believed if it is close to the last one.
 */
const farEpoch = 2 ** 52
const closeEpochs = 1_000_000
/**
 * Numbers go on from the newest epoch, or from 0. A keeper that tells something every two seconds takes 63 years for so
 * many, and a database that the operator accepts twelve days later is past them.
 */
const mostBatches = 1_000_000_000

/** Of more, no batches are taken in: a keeper in an attacker's hands can speak for as many machines as it likes. */
const mostOthers = 200

/** Of the name of a host (RFC 1035). */
const longestName = 255

/**
 * How many batches are composed: a thousand at once, and then ten a second. A courier carries one in two seconds. Code in a
 * worker, by stating other numbers than those in the table, could have a keeper use up all its numbers within days, and
 * the other keepers would pass over what it tells from then on.
 */
const mostComposed = { callsPerInterval: 1_000, intervalMs: 100_000 }

export function createFloorExchange(on: FloorExchangeDependencies): FloorExchange {
  const memory = openExchangeMemory(on)
  const composed = createLeakyBucket({ ...mostComposed, now: on.elapsed })
  return {
    standing: () => standingOf(memory, 0),
    news(heads) {
      noticeMissing(memory, heads)
      const own = memory.own()
      const stored = heads[own.machine] ?? 0
      // In a new epoch without batches none can be missing.
      const isStored = stored >= own.number || own.number < own.base
      // If only the last batch is missing, it is stored again; if more are, a new epoch begins.
      if (!isStored && stored === own.number - 1 && own.batch !== null)
        return { ...standingOf(memory, 0), ...batchOf(own) }
      if (!isStored) memory.note(`batches of this machine were taken out of the database after the ${stored}th`)
      const next = composeNext({ ...on, composed }, !isStored || isFull(own) ? { ...own, ...anew(own) } : own)
      if (next.batch !== null || own.batch !== null || next.wholeAt !== own.wholeAt) memory.keepOwn(next)
      return { ...standingOf(memory, isStored && own.wholeAt !== null ? own.base : 0), ...batchOf(next) }
    },
    take(batches) {
      let broken: unknown
      for (const sealed of batches)
        try {
          // The rest of that machine's news is reported again from its beginning.
          if (takeOne(on, memory, sealed.record, shown(on.token, 'floor news', sealed).fields)) break
        } catch (error) {
          if (!isFault(error, 'hsm.seal_broken') && !isFault(error, 'hsm.rejected')) throw error
          memory.note('a batch of another machine was edited in the database')
          broken = error
        }
      if (broken !== undefined) throw broken
    },
    restored() {
      // By the clock, because a machine that was restored from a backup knows neither epochs nor batches since.
      beginEpoch(on, memory, Math.max(memory.own().epoch + 1, on.now()), false)
      memory.forgetFaults()
    },
  }
}

function noticeMissing(memory: ExchangeMemory, heads: FloorHeads): void {
  for (const [machine, { name, number }] of memory.others())
    if ((heads[machine] ?? 0) < number)
      memory.note(`batches of machine ${name} were taken out of the database after the ${heads[machine] ?? 0}th`)
}

/** Composes the next batch; null where there is no news, or too many were composed lately. */
function composeNext(
  { token, exchanged, now, name, composed }: FloorExchangeDependencies & { readonly composed: LeakyBucket },
  own: Own,
): Own {
  const told = { ...own.told }
  const entries: Entry[] = []
  for (const kind of kinds)
    for (const { subject, number, rose } of exchanged[kind].risen.after(told[kind], entriesAtOnce - entries.length)) {
      entries.push([kind, subject.toString('base64'), number])
      told[kind] = rose
    }
  const wholeAt = (number: number) => own.wholeAt ?? (entries.length < entriesAtOnce ? number : null)
  // Either direction: after a clock that was ahead it would otherwise give no sign of life until then.
  if (entries.length === 0 && Math.abs(now() - own.toldAt) < heartbeatMs)
    return { ...own, wholeAt: wholeAt(own.number), batch: null }
  if (!composed.admits(own.machine)) return { ...own, batch: null }
  const { machine, base, epoch, hash: previous } = own
  const [number, at] = [own.number + 1, now()]
  const fields = { machine, name, number, previous, base, epoch, at, entries: JSON.stringify(entries) }
  const record = composeRecord('floor news', fields)
  const batch = { record: record.toString('base64'), seal: seal(token, record).toString('base64') }
  return { ...own, number, hash: hashOf(record), wholeAt: wholeAt(number), toldAt: at, told, batch }
}

/**
 * The database lacks batches that were reported. On all machines, each keeper then starts from the batches that exist,
 * and reports all it knows again, under numbers that no earlier batch can have.
 */
function beginEpoch(
  { forgetFloors, exchanged, now }: FloorExchangeDependencies,
  memory: ExchangeMemory,
  epoch: number,
  isElsewhere: boolean,
): void {
  forgetFloors(Math.min(epoch, now()), isElsewhere)
  memory.forgetOthers()
  for (const kind of kinds) if (kind !== 'floor') exchanged[kind].risen.raiseTaken()
  const own = memory.own()
  const number = Math.max(own.number, epoch)
  memory.keepOwn({ ...own, epoch, number, batch: null, ...anew({ number }) })
}

/** Takes one batch in. Returns whether it began a new epoch. */
function takeOne(
  on: FloorExchangeDependencies,
  memory: ExchangeMemory,
  record: Buffer,
  { machine, ...told }: FieldsOf<'floor news'>,
): boolean {
  if (machine === memory.own().machine) return false
  // A keeper in an attacker's hands may have sealed any text.
  const news = { ...told, name: told.name.slice(0, longestName) }
  if (!machineForm.test(machine)) {
    memory.note(`machine ${news.name} told something under an id that no keeper has`)
    return false
  }
  const isPossible = news.epoch <= Math.max(farEpoch, memory.own().epoch + closeEpochs)
  if (!isPossible) memory.note(`machine ${news.name} told of an accepted database under a time that no keeper writes`)
  // The operator of that machine accepted a restored database, which this machine shares.
  const isNewEpoch = isPossible && news.epoch > memory.own().epoch
  if (isNewEpoch) beginEpoch(on, memory, news.epoch, true)
  const { epoch } = memory.own()
  if (news.number > epoch + mostBatches) {
    // It would have all batches of the machine that it names passed over.
    memory.note(`machine ${news.name} told something under a number that no keeper reaches`)
    return isNewEpoch
  }
  const known = memory.other(machine)
  if (known === null && memory.others().length >= mostOthers) {
    memory.note(`more than ${mostOthers} machines tell something: those beyond are left out`)
    return isNewEpoch
  }
  const entries = entriesIn(news.entries)
  if (entries.includes(undefined)) memory.note(`machine ${news.name} told what no keeper tells`)
  for (const [kind, subject, number] of entries.filter((one) => one !== undefined))
    // Floors of an earlier epoch may be higher than the newest records now, but for those of records sealed since. A
    // database that withholds the news of the epoch from a machine would otherwise undo what is revoked there.
    if (kind !== 'floor' || (isPossible && news.epoch >= epoch) || isSealedAfter(number, epoch))
      on.exchanged[kind].take(Buffer.from(subject, 'base64'), number)
  // A batch that arrives late has been taken in, but changes nothing else.
  if (known !== null && news.number <= known.number) return isNewEpoch
  const goesOn = news.number === (known?.number ?? 0) + 1 && news.previous === (known?.hash ?? '')
  if (!goesOn && news.number !== news.base)
    memory.note(`a batch of machine ${news.name} before its ${news.number}th was left out`)
  const { name, number, at: toldAt } = news
  memory.keepOther(machine, { name, number, hash: hashOf(record), toldAt })
  return isNewEpoch
}

const entryList = z.array(entry.optional().catch(undefined))

/** Undefined stands for what is no entry. */
function entriesIn(text: string): readonly (Entry | undefined)[] {
  try {
    return entryList.parse(JSON.parse(text))
  } catch {
    return [undefined]
  }
}

/** Reports everything again, beginning with the next batch. */
const anew = ({ number }: Pick<Own, 'number'>) => ({ base: number + 1, told: nothingTold, toldAt: 0, wholeAt: null })

const isFull = ({ number, base, wholeAt }: Own): boolean =>
  wholeAt !== null && number - base >= Math.max(batchesPerRound, roundToWhole * (wholeAt + 1 - base))

const hashOf = (record: Buffer): string => hash('sha256', record)

const batchOf = ({ number, batch }: Own): Pick<FloorNews, 'batch'> => ({
  batch: batch === null ? undefined : { number, sealed: sealedOf(batch) },
})

const sealedOf = ({ record, seal }: { readonly record: string; readonly seal: string }): SealedRecord => ({
  record: Buffer.from(record, 'base64'),
  seal: Buffer.from(seal, 'base64'),
})

function standingOf(memory: ExchangeMemory, prune: number): FloorStanding {
  const others = memory.others()
  const { machine, epoch } = memory.own()
  return {
    machine,
    epoch,
    known: Object.fromEntries(others.map(([machine, { number }]) => [machine, number])),
    others: others.map(([, { name, toldAt }]) => ({ name, toldAt })),
    prune,
    faults: memory.faults(),
  }
}
