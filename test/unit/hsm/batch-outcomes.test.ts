import { describe, expect, it } from 'vitest'
import { Fault } from '../../../src/fault.ts'
import { replaceResults, resultsOf } from '../../../src/hsm/batch-outcomes.ts'
import type { Outcome } from '../../../src/hsm/hsm.ts'

const result = <T>(value: T): Outcome<T> => ({ result: value })
const fault: Outcome<never> = { fault: new Fault('hsm.rejected') }
const opened = [result('plaintext 1'), fault, result('plaintext 2')]

describe('the second step of a batch', () => {
  it('takes the place of the results of the first, in their order; faults of both stay', () => {
    expect(resultsOf(opened)).toEqual(['plaintext 1', 'plaintext 2'])
    expect(replaceResults(opened, [result('a'), result('b')])).toEqual([result('a'), fault, result('b')])
    expect(replaceResults(opened, [fault, result('b')])).toEqual([fault, fault, result('b')])
    expect(replaceResults([fault], [])).toEqual([fault])
  })

  it('never passes a result of the first for one of its own: too few or too many outcomes are thrown', () => {
    for (const sealed of [[], [result('a')], [result('a'), result('b'), result('c')]])
      expect(() => replaceResults(opened, sealed)).toThrow(RangeError)
  })
})
