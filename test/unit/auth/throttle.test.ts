import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { networkOf } from '../../../src/access/network.ts'
import { createThrottle, type Attempt, type ForgiveAttempt } from '../../../src/features/auth/throttle.ts'
import { openStore } from '../../../src/store/open.ts'
import { tryRulesOf } from '../../../src/hsm/try-rules.ts'
import type { Store } from '../../../src/store/store.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { insertUser } from '../../../src/features/users/records.ts'
import { userRow } from '../../support/user-row.ts'

const rules = { freeAttempts: 3, firstDelayMs: 1_000, longestDelayMs: 60_000 }

let directory: string
let store: Store
let now: number

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-throttle-'))
  store = await openStore({ sqlite: join(directory, 'test.sqlite') }, tables)
  now = Date.UTC(2026, 0, 1)
})
afterEach(() => store.close())

/** What another worker, or this one after a restart, knows. */
const throttle = () =>
  createThrottle({ transaction: (work) => store.transaction(work), clock: { now: () => now }, rules })

const alice = (address: string): Attempt => ({ name: 'alice', userId: 1, address })

/** Undefined where the attempt is not looked at. */
const begins = (attempt: Attempt, isHolder = false): Promise<ForgiveAttempt | undefined> =>
  store.transaction((tx) => throttle().count(tx, { ...attempt, isHolder })).catch(() => undefined)
const ends = (forgive: ForgiveAttempt | undefined) => store.transaction(async (tx) => forgive?.(tx))

/** Whether the attempt is looked at. */
const tries = async (attempt: Attempt, isHolder = false): Promise<boolean> =>
  (await begins(attempt, isHolder)) !== undefined

/** Whether a right one is. */
async function succeeds(attempt: Attempt): Promise<boolean> {
  const forgive = await begins(attempt)
  await ends(forgive)
  return forgive !== undefined
}

async function lookedAt(attempts: readonly Attempt[]): Promise<number> {
  let looks = 0
  for (const attempt of attempts) if (await tries(attempt)) looks += 1
  return looks
}

const hotel = (n: number) => `203.0.113.${n}`
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `198.51.${n >> 8}.${n & 255}`)

describe('delays', () => {
  it('double with each failure up to the longest, and nobody is locked out for good', async () => {
    const waits: number[] = []
    for (let n = 0; n < 12; n++) {
      const startedAt = now
      while (!(await tries(alice('192.0.2.1')))) now += 500
      waits.push((now - startedAt) / 1_000)
    }
    expect(waits).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
  })

  it('are told in words, one second like many', async () => {
    await lookedAt(Array.from({ length: 3 }, () => alice('192.0.2.1')))
    const sentence = () =>
      store.transaction((tx) => throttle().count(tx, { ...alice('192.0.2.1'), isHolder: false })).catch(String)
    expect(await sentence()).toContain('wait 1 second before you try again.')
    now += 1_000
    expect(await tries(alice('192.0.2.1'))).toBe(true)
    expect(await sentence()).toContain('wait 2 seconds before you try again.')
  })

  it('end when nothing was tried for a while', async () => {
    expect(await lookedAt(Array.from({ length: 9 }, () => alice('192.0.2.1')))).toBe(3)
    now += 4 * rules.longestDelayMs + 1
    expect(await lookedAt(Array.from({ length: 9 }, () => alice('192.0.2.1')))).toBe(3)
  })
})

it('stores no text that was typed as a name, which may be a pass phrase', async () => {
  for (const isHolder of [false, true])
    expect(await tries({ name: 'typed by mistake', userId: undefined, address: '192.0.2.1' }, isHolder)).toBe(true)
  const rows = JSON.stringify(await store.read.query('SELECT * FROM login_attempts'))
  expect(rows).toContain('from 192.0.2.1')
  expect(rows).not.toContain('typed')
})

describe('a stranger with a thousand addresses', () => {
  beforeEach(async () => {
    await store.transaction((tx) => insertUser(tx, userRow('alice')))
    await succeeds(alice('192.0.2.1'))
  })

  it('gets few looks at an account, though each address is new', async () => {
    expect(await lookedAt(addresses(1_000).map(alice))).toBe(10 * rules.freeAttempts)
  })

  it('does not delay the user where the user has logged in before, nor with a hardware token anywhere', async () => {
    await lookedAt(addresses(200).map(alice))
    expect(await tries(alice('203.0.113.9'))).toBe(false)
    expect(await tries(alice('203.0.113.9'), true)).toBe(true)
    expect(await tries(alice('192.0.2.1'))).toBe(true)
  })

  it('gets no more of them because the user has logged in', async () => {
    await lookedAt(addresses(200).map(alice))
    await succeeds(alice('192.0.2.1'))
    expect(await lookedAt(addresses(200).map(alice))).toBe(0)
  })

  it('gets fewer looks, also by pauses and whatever logins succeed, than the keeper lets codes be tried', async () => {
    const { burst, intervalMs } = tryRulesOf(rules)
    const forgetsFew = 4 * rules.longestDelayMs + 1
    for (const pauseMs of [1_000, rules.longestDelayMs, forgetsFew, burst * intervalMs + 1]) {
      /** What the keeper has not forgotten. */
      let charged = 0
      for (let round = 0; round < 20; round++) {
        const begun = [await begins(alice(hotel(2 * round))), await begins(alice(hotel(2 * round + 1)))]
        for (const address of addresses(burst)) {
          if (!(await tries(alice(address)))) break
          charged += 1
        }
        expect(charged).toBeLessThan(burst)
        for (const forgive of begun) await ends(forgive)
        expect(await succeeds(alice('192.0.2.1'))).toBe(true)
        now += pauseMs
        charged = Math.max(0, charged - pauseMs / intervalMs)
      }
    }
  })

  it('learns from the delays who logs in from an address that they share, and nothing else about who exists', async () => {
    const nobody = (address: string): Attempt => ({ name: 'nobody', userId: undefined, address })
    expect(await lookedAt(addresses(200).map(nobody))).toBe(await lookedAt(addresses(200).map(alice)))
    expect([await tries(nobody('192.0.2.1')), await tries(alice('192.0.2.1'))]).toEqual([false, true])
    expect([await tries(nobody('192.0.2.2')), await tries(alice('192.0.2.2'))]).toEqual([false, false])
  })

  it('delays an address that tries many names, for all of them', async () => {
    const names = Array.from({ length: 200 }, (_, n) => ({
      name: `user-${n}`,
      userId: undefined,
      address: '192.0.2.66',
    }))
    expect(await lookedAt(names)).toBe(10 * rules.freeAttempts)
  })

  it('who holds the stolen hardware token is delayed wherever it is used', async () => {
    let looks = 0
    for (const address of addresses(50)) if (await tries(alice(address), true)) looks += 1
    expect(looks).toBe(rules.freeAttempts)
  })

  it('gets no more of them with the stolen hardware token because the user logs in in between', async () => {
    let looks = 0
    for (let round = 0; round < 50; round++) {
      for (let guess = 0; guess < rules.freeAttempts - 1; guess++)
        if (await tries(alice(hotel(round)), true)) looks += 1
      await ends(await begins(alice('192.0.2.1'), true))
      now += 1_000
    }
    expect(looks).toBeGreaterThanOrEqual(5 * rules.freeAttempts - 1)
    expect(looks).toBeLessThan(tryRulesOf(rules).burst / 2)
  })
})

describe('right logins from ever new places', () => {
  const most = 10 * rules.freeAttempts
  const { burst, intervalMs } = tryRulesOf(rules)

  beforeEach(() => store.transaction((tx) => insertUser(tx, userRow('alice'))))

  it('are all looked at, however many there are', async () => {
    for (let n = 0; n < 2 * most; n++) expect(await succeeds(alice(hotel(n))), `login ${n}`).toBe(true)
  })

  it('are looked at as soon as one is, after strangers', async () => {
    expect(await lookedAt(addresses(200).map(alice))).toBe(most)
    now += rules.longestDelayMs
    for (let n = 0; n < 20; n++) expect(await succeeds(alice(hotel(n))), `login ${n}`).toBe(true)
  })

  it('leave strangers the tries and the delays that they had', async () => {
    await lookedAt(addresses(200).map(alice))
    for (let delay = 2_000; delay <= 32_000; delay *= 2) {
      now += delay / 2
      expect(await succeeds(alice(hotel(delay)))).toBe(true)
      expect(await lookedAt(addresses(200).map(alice))).toBe(1)
      now += delay - 1
      expect(await tries(alice('198.51.100.1'))).toBe(false)
      now += 1 - delay / 2
    }
  })

  it('that end one after the other take back themselves alone', async () => {
    const begun = [await begins(alice(hotel(1))), await begins(alice(hotel(2)))]
    expect(await lookedAt(addresses(most - 4).map(alice))).toBe(most - 4)
    begun.push(await begins(alice(hotel(3))))
    await ends(begun[1])
    now += 1
    expect(await lookedAt(['198.51.100.1', '198.51.100.2'].map(alice))).toBe(2)
    await ends(begun[2])
    await ends(begun[0])
    now += rules.firstDelayMs
    expect(await lookedAt(addresses(200).map(alice))).toBe(2)
  })

  it('end no delay that another attempt began', async () => {
    await lookedAt(addresses(most - 1).map(alice))
    const begun = await begins(alice(hotel(1)))
    now += rules.longestDelayMs
    expect(await tries(alice('198.51.100.1'))).toBe(true)
    await ends(begun)
    expect(await tries(alice('198.51.100.2'))).toBe(false)
  })

  it('do not make the attempts of strangers last longer', async () => {
    await lookedAt(addresses(200).map(alice))
    now += burst * intervalMs
    expect(await succeeds(alice(hotel(1)))).toBe(true)
    now += 1
    expect(await lookedAt(addresses(200).map(alice))).toBe(most)
  })

  it('that take long take nothing back that is forgotten', async () => {
    const begun = await begins(alice(hotel(1)))
    now += 4 * rules.longestDelayMs + 1
    expect(await lookedAt(addresses(most - 1).map(alice))).toBe(most - 1)
    await ends(begun)
    expect(await lookedAt(addresses(200).map(alice))).toBe(1)
  })
})

describe('a network', () => {
  const same: readonly (readonly [string, string])[] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::2'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
  ]
  it.each(same)('holds %s and %s', (one, other) => {
    expect(networkOf(one)).toBe(networkOf(other))
  })

  const apart: readonly (readonly [string, string])[] = [
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['192.0.2.1', '192.0.2.2'],
    ['unknown', '192.0.2.2'],
  ]
  it.each(apart)('holds %s or %s', (one, other) => {
    expect(networkOf(one)).not.toBe(networkOf(other))
  })

  it('is counted whole', async () => {
    const attempts = Array.from({ length: 50 }, (_, n) => alice(`2001:db8:1:2::${n + 1}`))
    expect(await lookedAt(attempts)).toBe(rules.freeAttempts)
    expect(await tries(alice('2001:db8:1:3::1'))).toBe(true)
  })
})

it('a sweep forgets every count that is too old, however many there are, and no other', async () => {
  const old = now - 4 * rules.longestDelayMs - 1
  const { burst, intervalMs } = tryRulesOf(rules)
  await store.transaction(async (tx) => {
    await tx.query(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
       INSERT INTO login_attempts (subject, failures, last_at, blocked_until) SELECT 'old ' || i, 1, ${old}, 0 FROM n`,
    )
    await tx.query(
      `INSERT INTO login_attempts (subject, failures, last_at, blocked_until)
       VALUES ('new', 1, ${old + 1}, 0), ('many', 17, ${old}, 0), ('many, long ago', 17, ${now - burst * intervalMs - 1}, 0)`,
    )
  })
  await throttle().sweep()
  expect(await store.query('SELECT subject FROM login_attempts ORDER BY subject', [])).toEqual([
    { subject: 'many' },
    { subject: 'new' },
  ])
})
