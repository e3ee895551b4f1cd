import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isRotationDue, longestLease } from '../../../src/hsm/rotation-due.ts'

const key = { autoRotatePeriodMs: 1_000, createdAt: 5_000, invocations: 0 }

describe('a rotation is due', () => {
  it.each([
    ['when the version has the age that the key allows', key, 6_000, true],
    ['and not before', key, 5_999, false],
    ['never by age where the key says so', { ...key, autoRotatePeriodMs: 0 }, 1e12, false],
    ['when the version was made by a clock that was ahead', { ...key, createdAt: 1e12 }, 1e12 - 86_400_000, true],
    ['and not where it was ahead by less than a day', { ...key, createdAt: 1e12 }, 1e12 - 86_399_999, false],
    ['or less than the period', { ...key, autoRotatePeriodMs: 1e9, createdAt: 1e12 }, 1e12 - 1e9 + 1, false],
    ['when nine tenths of the encryptions are used up', { ...key, invocations: 2 ** 32 * 0.9 }, 0, true],
    ['and not one before', { ...key, invocations: Math.floor(2 ** 32 * 0.9) }, 0, false],
  ])('%s', (_when, state, now, due) => {
    expect(isRotationDue(state, now)).toBe(due)
  })
})

it('the keeper lets a worker reserve the longest lease that the configuration takes', () => {
  const lease = z.object({ maximum: z.number() })
  const file = z.object({
    properties: z.object({ transparent: z.object({ properties: z.object({ invocationLease: lease }) }) }),
  })
  const text = readFileSync(resolve(import.meta.dirname, '../../../config/strongroom.schema.json'), 'utf8')
  expect(file.parse(JSON.parse(text)).properties.transparent.properties.invocationLease.maximum).toBe(longestLease)
})
