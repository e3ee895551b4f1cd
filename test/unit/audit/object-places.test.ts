import { describe, expect, test } from 'vitest'
import { createPlaceReplay, placesIn, recordedPlaces, restoredObjects } from '../../../src/audit/object-places.ts'

const object = (id: number, vaultId: number, templateId = 1) => ({ id, vaultId, templateId })

type Step = [at: number, rows: Readonly<Record<string, string | null>>]

/** The findings where the trail tells these steps and the database has these objects at 100. */
async function found(steps: readonly Step[], ...objects: ReturnType<typeof object>[]) {
  const replay = createPlaceReplay()
  for (const [at, rows] of steps)
    for (const [row, state] of Object.entries(rows)) expect(replay.tell(row, state, at, 'worker-1')).toBe(true)
  async function* all() {
    yield* objects
  }
  const { compared, findings } = replay.compare(await placesIn(all()), 100)
  return [compared, ...findings.map(({ row, detail }) => `${row}: ${detail}`)]
}

const made: Step = [10, recordedPlaces([object(7, 1), object(8, 1), object(9, 1, 3)])]
const moved: Step = [20, recordedPlaces([object(7, 2), object(8, 2)], 1)]

test('objects that were made together are told of together', () => {
  expect(made[1]).toEqual({ 'objects 7,8': 'vault=1 template=1', 'objects 9': 'vault=1 template=3' })
  expect(moved[1]).toEqual({ 'objects 7,8': 'vault=2 template=1 from=1' })
})

test('objects lie where they were made, or where calls have moved them, whichever record is read first', async () => {
  const now = [object(7, 2), object(8, 2), object(9, 1, 3)]
  expect(await found([made, moved], ...now)).toEqual([3])
  expect(await found([moved, made], ...now)).toEqual([3])
})

test('an object that is gone, or of which nothing is told, is not judged', async () => {
  expect(await found([made], object(9, 1, 3), object(12, 5))).toEqual([1])
})

test('a move that is recorded while the database is read may have been made or not', async () => {
  const late: Step = [100, moved[1]]
  expect(await found([made, late], object(7, 1), object(8, 2))).toEqual([2])
})

test('an object that was moved in the millisecond in which it was made lies where it was moved', async () => {
  expect(await found([made, [10, moved[1]]], object(7, 2), object(8, 2))).toEqual([2])
})

describe('finds an object', () => {
  test('in another vault, or of another template', async () => {
    expect(await found([made], object(7, 5), object(8, 1, 2), object(9, 1, 3))).toEqual([
      3,
      'object 7: It is in vault=5 template=1; by the trail it is in vault=1 template=1.',
      'object 8: It is in vault=1 template=2; by the trail it is in vault=1 template=1.',
    ])
  })

  test('that a call has moved on since', async () => {
    const on: Step = [30, recordedPlaces([object(7, 6)], 5)]
    expect(await found([made, on], object(7, 6))).toEqual([
      1,
      'object 7: A call moved it out of vault 5, where it came without a record.',
    ])
  })

  test('that a call has moved back since', async () => {
    const back: Step = [30, recordedPlaces([object(7, 1)], 5)]
    expect(await found([made, back], object(7, 1))).toHaveLength(2)
  })
})

test('a move that a crash undid is found until the object is moved again', async () => {
  expect(await found([made, moved], object(7, 1))).toHaveLength(2)
  expect(await found([made, moved, [30, recordedPlaces([object(7, 3)], 1)]], object(7, 3))).toEqual([1])
})

test('an object that a crash undid leaves its number to the next one', async () => {
  expect(await found([made, [30, recordedPlaces([object(7, 5)])]], object(7, 5))).toEqual([1])
})

test('what was told before the operator accepted an older database does not count', async () => {
  const restored: Step = [25, { [restoredObjects]: null }]
  expect(await found([made, moved, restored], object(7, 1), object(8, 1))).toEqual([0])
  expect(await found([made, moved, restored, [30, recordedPlaces([object(7, 4)])]], object(7, 1))).toHaveLength(2)
})
