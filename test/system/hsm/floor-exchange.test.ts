import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEndedSessions, createUsedAssertions, type ExpiringSet } from '../../../src/hsm/keeper/expiring-set.ts'
import { createFloorExchange, type FloorExchange } from '../../../src/hsm/keeper/floor-exchange.ts'
import { openFloors, type WritableFloors } from '../../../src/hsm/keeper/floors.ts'
import { openKeeperState } from '../../../src/hsm/keeper/keeper-state.ts'
import { createUsedOtps, type UsedOtps } from '../../../src/hsm/keeper/used-otps.ts'
import { createToken, type Token } from '../../../src/hsm/pkcs11/token-link.ts'
import { knownPin } from '../../../src/hsm/pkcs11/user-pin.ts'
import type { SealedRecord } from '../../../src/hsm/sealed-record.ts'
import { makeToken, type TestToken } from '../../support/token.ts'

/** The exchange of floors between keepers of several machines, over a table in the test, with a token of its own. */
let files: TestToken
let token: Token
let folder: string
/** The table, as batches by machine and number. */
let table: Map<string, Map<number, SealedRecord>>
let nowMs = 0
let elapsedMs = 0
const reports: string[] = []

beforeAll(async () => {
  files = await makeToken()
  const floors = {
    check: () => undefined,
    knows: () => false,
    newlyDeleted: () => [],
    newestRoot: () => undefined,
    close: () => undefined,
  }
  const { module, tokenUri: uri, softhsmConf } = files
  token = createToken({
    module,
    uri,
    softhsmConf,
    handles: 10,
    floors,
    pin: knownPin(readFileSync(files.pinFile, 'utf8')),
  })
  token.open()
  expect(token.state()).toBe('ready')
})
afterAll(() => {
  token.close()
  files.cleanup()
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-exchange-'))
  table = new Map()
  nowMs = 1_000_000
  reports.length = 0
  return () => rmSync(folder, { recursive: true })
})

interface Machine extends FloorExchange {
  readonly floors: WritableFloors
  readonly assertions: ExpiringSet
  readonly otps: UsedOtps
  /** One turn of its courier. With `stored: false` its messages are lost. */
  turn(options?: { readonly stored?: boolean }): void
  close(): void
}

function machine(name: string): Machine {
  const state = openKeeperState(join(folder, `${name}.sqlite`))
  const floors = openFloors(join(folder, `${name}-floors.sqlite`))
  const otps = createUsedOtps(state)
  const now = () => nowMs
  const assertions = createUsedAssertions(state, now)
  const exchange = createFloorExchange({
    token,
    state,
    exchanged: {
      floor: floors,
      session: createEndedSessions(state, now),
      otp: otps,
      assertion: assertions,
    },
    forgetFloors: () => floors.forget(),
    name,
    now,
    elapsed: () => elapsedMs,
    report: (sentence) => reports.push(`${name}: ${sentence}`),
  })
  return {
    ...exchange,
    floors,
    assertions,
    otps,
    turn({ stored = true } = {}) {
      const { machine: own, known } = exchange.standing()
      const news = [...table].flatMap(([from, batches]) =>
        [...batches].filter(([number]) => from !== own && number > (known[from] ?? 0)).toSorted(([a], [b]) => a - b),
      )
      exchange.take(news.map(([, sealed]) => sealed))
      const heads = Object.fromEntries([...table].map(([from, batches]) => [from, Math.max(...batches.keys())]))
      const { batch, prune } = exchange.news(heads)
      const mine = table.get(own) ?? new Map<number, SealedRecord>()
      if (batch !== undefined && stored) table.set(own, mine.set(batch.number, batch.sealed))
      for (const number of mine.keys()) if (number < prune) mine.delete(number)
    },
    close() {
      state.close()
      floors.close()
    },
  }
}

const copyOf = (one: typeof table): typeof table => new Map([...one].map(([name, batches]) => [name, new Map(batches)]))
const subject = (number: number) => Buffer.from(`subject ${number}`)
const batchesOf = (one: Machine) => table.get(one.standing().machine)?.size ?? 0

describe('what rises on one machine', () => {
  it('is told in as many batches as it takes, once, and not told back', () => {
    const [one, two] = [machine('one'), machine('two')]
    for (let number = 0; number < 5_000; number++) one.floors.raise({ subject: subject(number), number: 3 })
    for (let turns = 0; turns < 4; turns++) one.turn()
    expect(batchesOf(one)).toBe(3)
    two.turn()
    for (const number of [0, 1_999, 2_000, 4_999]) expect(two.floors.of(subject(number))).toBe(3)
    const size = () => [...(table.get(two.standing().machine)?.values() ?? [])].map(({ record }) => record.length)
    two.turn()
    expect(Math.max(...size())).toBeLessThan(500)
    expect(reports).toEqual([])
    for (const each of [one, two]) each.close()
  })

  it('is told again until it is stored, also after a restart of the keeper', () => {
    const two = machine('two')
    let one = machine('one')
    one.turn()
    one.floors.raise({ subject: subject(1), number: 7 })
    one.turn({ stored: false })
    one.close()
    one = machine('one')
    one.floors.raise({ subject: subject(2), number: 8 })
    for (let turns = 0; turns < 3; turns++) one.turn()
    two.turn()
    expect([1, 2].map((number) => two.floors.of(subject(number)))).toEqual([7, 8])
    expect(reports).toEqual([])
    for (const each of [one, two]) each.close()
  })

  it('is told of assertions before all else, and of none that ended long ago', () => {
    const [one, two] = [machine('one'), machine('two')]
    one.assertions.add(subject(1), nowMs)
    nowMs += 1_800_000
    for (let number = 0; number < 5_000; number++) one.floors.raise({ subject: subject(number), number: 3 })
    one.assertions.add(subject(2), nowMs + 300_000)
    one.turn()
    two.turn()
    // The expired one can be used nowhere. A machine that was not told about it would accept it as new.
    expect([1, 2].map((number) => two.assertions.add(subject(number), nowMs))).toEqual([true, false])
    expect(one.assertions.add(subject(1), nowMs)).toBe(false)
    for (const each of [one, two]) each.close()
  })

  it('is told of assertions by a keeper whose files are of a release that told of none', () => {
    const two = machine('two')
    let one = machine('one')
    one.turn()
    one.close()
    const state = openKeeperState(join(folder, 'one.sqlite'))
    state.exec(`
      UPDATE exchange SET value = json_remove(value, '$.told.assertion') WHERE name = 'own';
      DROP TABLE used_assertions;
      CREATE TABLE used_assertions (assertion BLOB PRIMARY KEY, good_until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO used_assertions VALUES (x'01', 9000000000000)`)
    state.close()
    one = machine('one')
    one.assertions.add(subject(1), nowMs)
    for (const each of [one, two]) each.turn()
    expect(one.assertions.add(Buffer.from([1]), nowMs)).toBe(false)
    expect(two.assertions.add(subject(1), nowMs)).toBe(false)
    for (const each of [one, two]) each.close()
  })

  it('is told anew after many batches, and what came before is dropped: one that joins then misses nothing', () => {
    const one = machine('one')
    for (let number = 0; number < 600; number++) {
      one.floors.raise({ subject: subject(number), number: 2 })
      one.turn()
    }
    one.turn()
    expect(batchesOf(one)).toBeLessThan(300)
    const two = machine('two')
    two.turn()
    expect([0, 300, 599].map((number) => two.floors.of(subject(number)))).toEqual([2, 2, 2])
    expect(reports).toEqual([])
    for (const each of [one, two]) each.close()
  })

  it('is told once, however many batches that takes, and not anew while nothing rises', () => {
    machine('one').close()
    const file = new Database(join(folder, 'one-floors.sqlite'))
    file.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 520000)
      INSERT INTO floors (subject, generation, rose) SELECT CAST('subject ' || n AS BLOB), 3, n FROM numbers`)
    file.close()
    const one = machine('one')
    for (let turns = 0; turns < 261; turns++) one.turn()
    expect(batchesOf(one)).toBe(260)
    for (let turns = 0; turns < 5; turns++) one.turn()
    expect(batchesOf(one)).toBe(260)
    one.close()
  }, 60_000)

  it('is not taken in where it is older, nor of before a restored database', () => {
    const [one, two] = [machine('one'), machine('two')]
    two.floors.raise({ subject: subject(1), number: 9 })
    one.floors.raise({ subject: subject(1), number: 4 })
    one.floors.raise({ subject: subject(2), number: 4 })
    one.turn()
    two.turn()
    expect([1, 2].map((number) => two.floors.of(subject(number)))).toEqual([9, 4])
    two.restored()
    // Under way when the operator accepted the database.
    one.floors.raise({ subject: subject(3), number: 5 })
    one.turn({ stored: true })
    two.turn()
    expect([1, 2, 3].map((number) => two.floors.of(subject(number)))).toEqual([undefined, undefined, undefined])
    one.turn()
    expect([1, 2, 3].map((number) => one.floors.of(subject(number)))).toEqual([undefined, undefined, undefined])
    one.floors.raise({ subject: subject(4), number: 6 })
    one.turn()
    two.turn()
    expect(two.floors.of(subject(4))).toBe(6)
    for (const each of [one, two]) each.close()
  })

  it('is missed where a batch is left out, and taken in where it comes late', () => {
    const [one, two] = [machine('one'), machine('two')]
    one.turn()
    two.turn()
    const { machine: name } = one.standing()
    one.floors.raise({ subject: subject(1), number: 2 })
    one.turn()
    const late = table.get(name)?.get(2)
    one.floors.raise({ subject: subject(2), number: 2 })
    one.turn()
    table.get(name)?.delete(2)
    two.turn()
    expect(reports).toEqual([expect.stringMatching(/^two: a batch of machine one before its 3th was left out/)])
    expect(two.floors.of(subject(1))).toBeUndefined()
    if (late !== undefined) two.take([late])
    expect(two.floors.of(subject(1))).toBe(2)
    for (const each of [one, two]) each.close()
  })

  it('is told no more often than a courier carries it, whatever a worker says is in the table', () => {
    const one = machine('one')
    one.floors.raise({ subject: Buffer.from('a row'), number: 1 })
    const { machine: own } = one.standing()
    const numbers = Array.from({ length: 2_400 }, (_, at) => one.news(at % 2 === 0 ? {} : { [own]: at }).batch?.number)
    expect(Math.max(...numbers.map((number) => number ?? 0))).toBeLessThan(1_100)
    elapsedMs += 1_000
    one.turn()
    expect(table.get(own)?.size).toBe(1)
    one.close()
  })

  it('costs nothing where nothing rises but a sign of life every ten minutes', () => {
    const one = machine('one')
    for (let turns = 0; turns < 20; turns++) one.turn()
    expect(batchesOf(one)).toBe(1)
    nowMs += 600_000
    for (let turns = 0; turns < 20; turns++) one.turn()
    expect(batchesOf(one)).toBe(2)
    // A clock that is ahead for a moment.
    for (const ms of [10 * 365 * 86_400_000, -10 * 365 * 86_400_000]) {
      nowMs += ms
      for (let turns = 0; turns < 20; turns++) one.turn()
    }
    expect(batchesOf(one)).toBe(4)
    one.close()
  })
})

describe('a machine that is restored with the database of all', () => {
  const filesOf = (name: string): string => join(folder, `${name}.sqlite`)
  const turnsOf = (...machines: readonly Machine[]) => {
    for (let turns = 0; turns < 3; turns++) for (const each of machines) each.turn()
  }
  /** Restores the earlier backup, with a new file of floors. */
  function restore(name: string, tableThen: typeof table): Machine {
    copyFileSync(filesOf('backup'), filesOf(name))
    rmSync(filesOf(`${name}-floors`))
    table = copyOf(tableThen)
    const restored = machine(name)
    restored.restored()
    return restored
  }

  it('is followed by the others, which have seen newer rows, and learns from them what was used since', () => {
    const [two, three] = [machine('two'), machine('three')]
    let one = machine('one')
    two.floors.raise({ subject: subject(1), number: 2 })
    turnsOf(one, two, three)
    one.close()
    copyFileSync(filesOf('one'), filesOf('backup'))
    const then = copyOf(table)

    one = machine('one')
    // Repeatedly from the same backup.
    for (const round of [1, 2]) {
      for (let turns = 0; turns < 5; turns++) {
        for (const each of [one, two, three]) each.floors.raise({ subject: subject(1), number: 10 * round + turns })
        one.otps.advance(subject(7), 10 * round + turns)
        one.assertions.add(subject(8), nowMs + 600_000)
        turnsOf(one, two, three)
      }
      one.close()
      nowMs += 60_000
      one = restore('one', then)
      expect(one.otps.of(subject(7))).toBe(0)
      turnsOf(one, two, three)
      for (const each of [one, two, three]) expect(each.floors.of(subject(1))).toBeUndefined()
      expect(one.otps.of(subject(7))).toBe(10 * round + 4)
      expect(one.assertions.add(subject(8), nowMs + 600_000)).toBe(false)
      for (const [number, each] of [one, two, three].entries())
        each.floors.raise({ subject: subject(100 + number), number: round })
      turnsOf(one, two, three)
      for (const each of [one, two, three])
        expect([100, 101, 102].map((number) => each.floors.of(subject(number)))).toEqual([round, round, round])
    }
    expect(reports).toEqual([])
    for (const each of [one, two, three]) each.close()
  })

  it('is told of batches that went away where it has not told yet that it was restored, and is followed all the same', () => {
    const two = machine('two')
    let one = machine('one')
    turnsOf(one, two)
    one.close()
    copyFileSync(filesOf('one'), filesOf('backup'))
    const then = copyOf(table)
    one = machine('one')
    for (const number of [2, 3, 4]) {
      for (const each of [one, two]) each.floors.raise({ subject: subject(1), number })
      turnsOf(one, two)
    }
    one.close()
    table = copyOf(then)
    two.turn()
    expect(reports.join()).toMatch(/two: batches of machine one were taken out.*two: batches of this machine were/)
    expect(two.floors.of(subject(1))).toBe(4)
    one = restore('one', then)
    turnsOf(one, two)
    expect(two.floors.of(subject(1))).toBeUndefined()
    expect(two.standing().faults).toHaveLength(2)
    two.restored()
    turnsOf(one, two)
    expect([one, two].map((each) => each.standing().faults)).toEqual([[], []])
    for (const each of [one, two]) each.close()
  })
})
