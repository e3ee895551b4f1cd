import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readSecret } from '../../src/config/loader.ts'
import { carryFloorNews, FloorBatchTable } from '../../src/daemon/floor-courier.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { accountSubject, generationAt, newestRootSubject } from '../../src/hsm/record-generation.ts'
import { seal } from '../../src/hsm/pkcs11/seal-operations.ts'
import { createToken } from '../../src/hsm/pkcs11/token-link.ts'
import { knownPin } from '../../src/hsm/pkcs11/user-pin.ts'
import { composeRecord, type FieldsOf } from '../../src/hsm/record-layouts.ts'
import { sealedRecord } from '../support/grant-kit.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'

/** The attacker had one of several machines, and its keeper told the others what is not so, under a good seal. */
const appliance = applianceForTests(() => TestAppliance.own())
let farAhead: SealedRecord
let lastPossible: SealedRecord
let ofRoots: SealedRecord
let asOther: SealedRecord
let asOtherNearby: SealedRecord
let malformed: readonly SealedRecord[]
let ofMany: readonly SealedRecord[]
let news: SealedRecord
let namedAtLength: readonly SealedRecord[]
let namedVariously: readonly SealedRecord[]
let ofLongSubject: SealedRecord
let ofNoMachine: SealedRecord
let keeper: Awaited<ReturnType<typeof startKeeperAt>>
beforeAll(async () => {
  // Before this process has the token open.
  farAhead = told({ epoch: Number.MAX_SAFE_INTEGER })
  lastPossible = told({ epoch: 2 ** 52, machine: 'cd'.repeat(16) })
  const { machine } = await appliance.hsm.floorNews()
  asOther = told({ number: Number.MAX_SAFE_INTEGER, machine })
  asOtherNearby = told({ number: 1_000_000_000, machine })
  const versions = Object.entries({ seal: 2 ** 52, pepper: 1_000 })
  const entries = versions.map(([role, version]) => ['floor', newestRootSubject(role).toString('base64'), version])
  ofRoots = told({ entries: JSON.stringify(entries), machine: 'ef'.repeat(16) })
  malformed = [
    'nothing',
    'null',
    '{}',
    '[null]',
    '["floor"]',
    '[["floor", 1, 1]]',
    '[["keys", "QUE=", 1]]',
    '[["toString", "QUE=", 1]]',
    '[["floor", "QUE=", "1"]]',
    '[["floor", "QUE=", 1.5]]',
    '[["floor", "QUE=", 1e300]]',
    `[["floor", "${accountSubject(account).toString('base64')}", ${2 ** 60}]]`,
  ].map((entries, at) => told({ entries, machine: (at + 16).toString(16).repeat(16) }))
  news = sealedRecord(appliance.token, 'deleted vault', { vault: randomBytes(16), endedAt: Date.now() })
  namedAtLength = ['a', 'b', 'c', 'd', 'e'].map((letter) => namedAs(letter.repeat(18_000_000)))
  namedVariously = Array.from({ length: 30 }, (_, at) => namedAs(`called ${at}`))
  const long = Buffer.concat([accountSubject(account), Buffer.alloc(1_000_000)]).toString('base64')
  const soon = generationAt(Date.now() + 3_600_000)
  ofLongSubject = told({ entries: JSON.stringify([['floor', long, soon]]), machine: 'fe'.repeat(16) })
  ofNoMachine = told({ machine: 'none' })
  ofMany = toldBy(Array.from({ length: 1_100 }, (_, at) => at.toString(16).padStart(32, '0')))
  keeper = await startKeeperAt(appliance, Date.now)
})
/** A batch that a keeper has for the others. */
async function toldAnew(by: Hsm) {
  await by.acceptRestored()
  const { machine } = await by.floorNews()
  const { batch } = await by.floorNews({ [machine]: 0 })
  if (batch === undefined) throw new Error('no news')
  return { machine, batch }
}
afterAll(() => keeper.close())

/** First batches in the names of as many machines as these. */
function toldBy(machines: readonly string[]): readonly SealedRecord[] {
  const { module, token: uri, softhsmConf, handles, pinFile } = appliance.config.hsm
  const token = createToken({ module, uri, softhsmConf, handles, pin: knownPin(readSecret(pinFile)) })
  token.open()
  try {
    return machines.map((machine) => {
      const record = composeRecord('floor news', { ...firstBatch(), machine })
      return { record, seal: seal(token, record) }
    })
  } finally {
    token.close()
  }
}

/** The identity of an account. */
const account = randomBytes(16)

const firstBatch = (): FieldsOf<'floor news'> => ({
  machine: 'ab'.repeat(16),
  name: 'broken',
  number: 1,
  previous: '',
  base: 1,
  epoch: 0,
  at: Date.now(),
  entries: '[]',
})

const told = (edits: Partial<FieldsOf<'floor news'>>): SealedRecord =>
  sealedRecord(appliance.token, 'floor news', { ...firstBatch(), ...edits })

/** Carries all that one keeper tells to the other. */
async function carry(from: Hsm, to: Hsm): Promise<number> {
  let stored = 0
  for (let round = 0; round < 3; round++) {
    const { machine } = await from.floorNews()
    const { batch } = await from.floorNews({ [machine]: stored })
    if (batch === undefined) return stored
    await to.takeFloors([batch.sealed])
    stored = batch.number
  }
  return stored
}

it('has no root keys that are made up later count as new, once the operator has ended what it told', async () => {
  const { hsm } = appliance
  const before = await hsm.knownSubjects('newest root key')
  await hsm.takeFloors([ofRoots])
  const pepper = newestRootSubject('pepper')
  const lied = before.map(({ subject, number }) => ({ subject, number: subject.equals(pepper) ? 1_000 : number }))
  expect(await hsm.knownSubjects('newest root key')).toEqual(lied)
  await hsm.acceptRestored()
  // As where the batch is still in the database.
  await hsm.takeFloors([ofRoots])
  expect(before).toHaveLength(6)
  expect(await hsm.knownSubjects('newest root key')).toEqual(before)
})

it('has nothing of another machine passed over for good, by a batch in its name under a number that it may reach', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  await one.takeFloors([asOtherNearby])
  const { machine } = await other.floorNews()
  expect((await one.floorNews()).known[machine]).toBe(1_000_000_000)
  await other.acceptRestored()
  const stored = await carry(other, one)
  const { known, faults } = await one.floorNews()
  expect(known[machine]).toBe(stored)
  expect(faults).toEqual([expect.stringContaining('machine broken')])
  // Ends the fault, too.
  await one.acceptRestored()
})

it('ends no exchange of the others for good, by a time after which no number comes', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  await one.takeFloors([farAhead])
  const { faults } = await one.floorNews()
  await carry(one, other)
  // The operator ends what the attacker has left.
  await one.acceptRestored()
  const stored = await carry(one, other)
  expect((await other.floorNews()).known[(await one.floorNews()).machine]).toBe(stored)
  expect(stored).toBeGreaterThan(0)
  expect(faults).toEqual([expect.stringContaining('machine broken')])
})

it('ends none by the last time that the others believe', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  await one.takeFloors([lastPossible])
  await other.takeFloors([lastPossible])
  // Each of these is an epoch after that.
  await one.acceptRestored()
  await one.acceptRestored()
  await carry(one, other)
  const [accepted, news] = [await one.floorNews(), await other.floorNews()]
  expect(news.faults).toEqual([])
  expect(news.known[accepted.machine]).toBeGreaterThan(2 ** 52)
})

it('keeps none from taking in the rest, and leaves nothing for good, by news that no keeper tells', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  const { machine, batch } = await toldAnew(one)
  expect(await outcomeOf(other.takeFloors([...malformed, batch.sealed]))).toBe('done')
  const { known, faults } = await other.floorNews()
  expect(known[machine]).toBe(batch.number)
  expect(faults).toEqual([expect.stringContaining('machine broken')])
  expect(await other.knownSubjects('user', account)).toEqual([])
})

it('has nothing of another machine passed over, by a batch in its name under a number that it does not reach', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  await one.acceptRestored()
  await one.takeFloors([asOther])
  await carry(one, other)
  const stored = await carry(other, one)
  expect(stored).toBeGreaterThan(0)
  const { known, faults } = await one.floorNews()
  expect(known[(await other.floorNews()).machine]).toBe(stored)
  expect(faults).toEqual([expect.stringContaining('machine broken')])
})

describe('has no news of the others wait', () => {
  it('by rows that no keeper takes in', async () => {
    const [one, other] = [keeper.hsm, appliance.hsm]
    const { machine, batch } = await toldAnew(one)
    const { number, sealed } = batch
    await appliance.store.transaction(async (tx) => {
      // Before that batch in the order of reading.
      for (let at = 0; at < 60; at++)
        await tx.insert(FloorBatchTable, { machine: at.toString(16).padStart(32, '0'), number: 1, ...asOther })
      await tx.insert(FloorBatchTable, { machine, number, ...sealed })
    })
    for (let turn = 0; turn < 3; turn++) await carryFloorNews({ store: appliance.store, hsm: other }, () => undefined)
    expect((await other.floorNews()).known[machine]).toBe(number)
  })

  it('by speaking for more machines than there can be, and none untold', async () => {
    const [one, other] = [keeper.hsm, appliance.hsm]
    await one.acceptRestored()
    await carry(one, other)
    await other.takeFloors(ofMany)
    const { known, machine, faults } = await other.floorNews()
    expect(await outcomeOf(other.floorNews({ ...known, [machine]: 0 }))).toBe('done')
    await one.raise([news])
    const stored = await carry(one, other)
    expect((await other.floorNews()).known[(await one.floorNews()).machine]).toBe(stored)
    expect(faults).toContainEqual(expect.stringContaining('more than 200 machines'))
  })
})

describe('has the keeper of another machine', () => {
  it('answer all the same, by names longer than any answer', async () => {
    const { hsm } = appliance
    await hsm.acceptRestored()
    for (const batch of namedAtLength) await hsm.takeFloors([batch])
    expect(await outcomeOf(hsm.floorNews())).toBe('done')
    expect(JSON.stringify(await hsm.floorNews()).length).toBeLessThan(100_000)
  })

  it('report no more than a few faults, by as many names as it likes', async () => {
    const { hsm } = appliance
    await hsm.acceptRestored()
    const [last, ...others] = namedVariously
    // As where the rows stay in the database.
    for (let turn = 0; turn < 3; turn++) await hsm.takeFloors(others)
    expect((await hsm.floorNews()).faults).toHaveLength(20)
    // Its line follows all lines from before.
    await hsm.acceptRestored()
    await hsm.takeFloors(last ? [last] : [])
    await vi.waitFor(() => expect(appliance.journal).toContain('machine called 0 '), patience)
    const lines = appliance.journal.split('\n').filter((line) => line.includes('machine called '))
    expect(lines).toHaveLength(21)
  })

  it('tell its own news all the same, by an id that no machine has', async () => {
    const { hsm } = appliance
    await hsm.acceptRestored()
    await hsm.takeFloors([ofNoMachine])
    const { known, machine, faults } = await hsm.floorNews()
    expect(await outcomeOf(hsm.floorNews({ ...known, [machine]: 0 }))).toBe('done')
    expect(faults).toEqual([expect.stringContaining('under an id that no keeper has')])
  })

  it('keep no subject longer than that of any record', async () => {
    const { hsm } = appliance
    await hsm.acceptRestored()
    await hsm.takeFloors([ofLongSubject])
    expect(await hsm.knownSubjects('user', account)).toEqual([])
  })
})

/** A batch under a number that no keeper reaches, which is a fault. */
const namedAs = (name: string): SealedRecord =>
  told({ name, number: Number.MAX_SAFE_INTEGER, machine: 'fd'.repeat(16) })

const patience = { timeout: 30_000, interval: 50 }
