import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { tables } from '../../src/daemon/tables.ts'
import { Fault } from '../../src/fault.ts'
import { createThrottle } from '../../src/features/auth/throttle.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'

const rules = { freeAttempts: 3, firstDelayMs: 1_000, longestDelayMs: 60_000 }
const attempt = { name: 'alice', userId: 1, address: '192.0.2.1' }
const hour = 3_600_000

let directory: string
let store: Store
let now: number

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-clock-'))
  store = await openStore({ sqlite: join(directory, 'test.sqlite') }, tables)
  now = Date.UTC(2026, 0, 1)
})
afterEach(() => store.close())

/**
 * The time that the caller is told to wait, in milliseconds; 0 when the attempt is checked. Each call uses a new
 * worker.
 */
async function waitOf(): Promise<number> {
  const throttle = createThrottle({ transaction: (work) => store.transaction(work), clock: { now: () => now }, rules })
  try {
    await store.transaction((tx) => throttle.count(tx, { ...attempt, isHolder: false }))
    return 0
  } catch (error) {
    if (error instanceof Fault) return error.retryAfterMs ?? NaN
    throw error
  }
}

it.each([hour, 24 * hour, 61_000, 30_000])(
  'a clock that is set back by %d ms makes nobody wait longer than the longest delay',
  async (back) => {
    for (let n = 0; n < 4; n++) await waitOf()
    expect(await waitOf()).toBeGreaterThan(0)
    now -= back
    const told = await waitOf()
    expect(told).toBeLessThanOrEqual(rules.longestDelayMs)
    now += told
    expect(told === 0 ? told : await waitOf()).toBe(0)
  },
)

it('a clock that is set back gives a stranger one look at most', async () => {
  for (let n = 0; n < 4; n++) await waitOf()
  now -= hour
  const waits: number[] = []
  for (let n = 0; n < 20; n++) waits.push(await waitOf())
  expect(waits.filter((wait) => wait === 0).length).toBeLessThanOrEqual(1)
})
