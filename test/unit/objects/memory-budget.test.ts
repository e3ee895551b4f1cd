import { expect, it } from 'vitest'
import { createMemoryBudget } from '../../../src/features/objects/memory-budget.ts'

const turns = () => new Promise((resolve) => setImmediate(resolve))

/** Requests by name, with what gives them back once they are granted. */
function given() {
  const memory = createMemoryBudget({ totalBytes: 100, maxWaitMs: 60_000 })
  const granted = new Map<string, () => void>()
  const ask = (name: string, userId: number, bytes: number): void =>
    void memory.acquire(userId, bytes).then((release) => granted.set(name, release))
  return { granted, ask }
}

it('small requests of a user do not overtake a large one of the same user, however many there are', async () => {
  const { granted, ask } = given()
  ask('first', 1, 10)
  ask('large', 1, 50)
  ask('second', 1, 10)
  await turns()
  expect([...granted.keys()]).toEqual(['first'])
  granted.get('first')?.()
  await turns()
  expect([...granted.keys()]).toEqual(['first', 'large'])
  granted.get('large')?.()
  await turns()
  expect([...granted.keys()]).toEqual(['first', 'large', 'second'])
})

it('requests of others do not wait behind a user whose share is used up', async () => {
  const { granted, ask } = given()
  ask('own', 1, 50)
  ask('waiting', 1, 50)
  ask('other', 2, 50)
  await turns()
  expect([...granted.keys()]).toEqual(['own', 'other'])
})
