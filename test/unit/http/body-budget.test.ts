import { expect, it } from 'vitest'
import { isFault } from '../../../src/fault.ts'
import { createBodyBudget, createPassedBody } from '../../../src/http/input/body-budget.ts'
import { callBytes } from '../../../src/http/input/call-size.ts'

/** A budget of 100 bytes, and which of its bodies had to go, in their order. */
function given({ perSenderBytes = 100 } = {}) {
  const budget = createBodyBudget({ totalBytes: 100, perSenderBytes })
  const gone: string[] = []
  const body = (name: string, sender: string, bytes: number) => {
    const held = budget.begin(sender)
    held.onRefusal((fault) => {
      if (isFault(fault, 'appliance.busy')) gone.push(name)
    })
    held.take(bytes)
    return held
  }
  return { budget, gone, body }
}

it('the oldest bodies of the sender who holds most go, as many as have to', () => {
  const { gone, body } = given()
  body('other', 'one', 30)
  body('first', 'two', 20)
  body('second', 'two', 20)
  body('third', 'two', 25)
  expect(gone).toEqual([])
  body('last', 'three', 30)
  expect(gone).toEqual(['first', 'second'])
})

it('what is released counts no more', () => {
  const { gone, body } = given()
  const held = body('first', 'one', 90)
  held.release()
  held.take(90)
  body('second', 'one', 90)
  expect(gone).toEqual([])
})

it('a body that had to go before it could be told is told at once', () => {
  const { budget, body } = given()
  const held = budget.begin('one')
  held.take(60)
  body('second', 'two', 50)
  let told = false
  held.onRefusal((fault) => (told = isFault(fault, 'appliance.busy')))
  expect(told).toBe(true)
})

it('a sender has a part of the room, in which bodies that have come stay until they are released', () => {
  const { gone, body } = given({ perSenderBytes: 50 })
  const come = body('come', 'one', 30)
  come.keep()
  body('second', 'one', 20)
  expect(gone).toEqual([])
  body('third', 'one', 20)
  expect(gone).toEqual(['second'])
  body('other', 'two', 50)
  expect(gone).toEqual(['second'])
  come.release()
  body('fourth', 'one', 30)
  expect(gone).toEqual(['second'])
})

it('the only body of a sender may have all the room', () => {
  const { gone, body } = given({ perSenderBytes: 50 })
  body('only', 'one', 90)
  expect(gone).toEqual([])
})

it('moves a body to the budget of its caller, once known; an aborted body holds no memory', () => {
  const strangers = given()
  const callers = given()
  const passed = createPassedBody(strangers.budget.begin('network'))
  const told: string[] = []
  passed.onRefusal((fault) => told.push(fault.code))
  passed.take(60)
  passed.passTo(callers.budget.begin('user'))
  strangers.body('stranger', 'network', 100)
  expect([told, strangers.gone]).toEqual([[], []])
  callers.body('own', 'user', 50)
  expect([told, callers.gone]).toEqual([['appliance.busy'], []])

  const broken = createPassedBody(strangers.budget.begin('other'))
  broken.take(60)
  broken.release()
  broken.passTo(callers.budget.begin('user'))
  callers.body('next', 'user', 50)
  expect(callers.gone).toEqual([])
})

it('a call counts with its headers, and is something without any', () => {
  const rawHeaders = ['x-long', 'x'.repeat(10_000)]
  expect(callBytes({ rawHeaders: [] })).toBeGreaterThan(8 * 1024)
  expect(callBytes({ rawHeaders }) - callBytes({ rawHeaders: [] })).toBeGreaterThan(10_000)
})
