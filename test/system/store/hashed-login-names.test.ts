import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { createThrottle } from '../../../src/features/auth/throttle.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const now = Date.UTC(2026, 0, 1)
const counted = (subject: string): string =>
  `INSERT INTO login_attempts (subject, failures, last_at, blocked_until)
   VALUES ('${subject}', 7, ${now - 1_000}, ${now + 9_000})`

/** The network and the name of an attempt that the earlier release delays. */
const delayed = [
  { address: '192.0.2.1', name: 'alice' },
  { address: '2001:db8::1', name: 'from: my other pass phrase' },
  { address: '::1', name: 'frank' },
] as const

describeUpgrade(
  'in a database of the release before, logins stay delayed, and no text that was typed as a name is left',
  {
    before: 'HashedLoginNames1700000000043',
    statements: [
      counted('from 192.0.2.1: alice'),
      // A name that looks like the hash of another.
      counted(`from 192.0.2.1: ${createHash('sha256').update('alice').digest('hex').slice(0, 8)}`),
      counted('from 2001:db8::/64: from: my other pass phrase'),
      counted('from ::/64: frank'),
      counted('from unfamiliar places: bob'),
      counted('holder of the second factor of carol'),
      counted('holder of the second factor in time of dave'),
      counted('anyone from 192.0.2.9'),
    ],
  },
  async (store) => {
    const rows = await store.read.query<{ subject: string }[]>('SELECT subject FROM login_attempts')
    expect(rows).toHaveLength(8)
    expect(JSON.stringify(rows)).not.toMatch(/alice|my other|bob|carol|dave|frank/)
    const throttle = createThrottle({
      transaction: (work) => store.transaction(work),
      clock: { now: () => now },
      rules: { freeAttempts: 3, firstDelayMs: 1_000, longestDelayMs: 60_000 },
    })
    const tries = (name: string, address: string, isHolder = false): Promise<unknown> =>
      store.transaction((tx) => throttle.count(tx, { name, address, isHolder, userId: undefined }))
    const throttled = { code: 'login.throttled' }
    for (const { name, address } of delayed) await expect(tries(name, address)).rejects.toMatchObject(throttled)
    await expect(tries('bob', '203.0.113.7')).rejects.toMatchObject(throttled)
    await expect(tries('carol', '203.0.113.7', true)).rejects.toMatchObject(throttled)
    await expect(tries('dave', '203.0.113.7', true)).rejects.toMatchObject(throttled)
    await expect(tries('erin', '192.0.2.9')).rejects.toMatchObject(throttled)
    await tries('erin', '203.0.113.7')
  },
)
