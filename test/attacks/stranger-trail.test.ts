import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { strongroom } from '../support/console-kit.ts'
import { createStranger, type Heard, type Stranger } from '../support/stranger.ts'
import { eventsOf } from '../support/trail.ts'

const single = 20
const allowed = 60

let appliance: TestAppliance
const strangers: Stranger[] = []

beforeEach(async () => {
  appliance = await TestAppliance.own({
    http: {
      workers: 2,
      unidentifiedCallsPerMinute: allowed,
      unidentifiedRecordsPerMinute: single,
      proxies: ['127.0.0.99'],
    },
  })
})
afterEach(async () => {
  for (const stranger of strangers.splice(0)) stranger.close()
  await appliance.close()
})

function stranger(address: string): Stranger {
  const one = createStranger(appliance, address)
  strangers.push(one)
  return one
}

/** Sends refused calls over several connections of one address. Resolves to the number of answers by status. */
async function flood(calls: number, address: string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const over = async (one: Stranger): Promise<void> => {
    for (let n = 0; n < calls / 10; n++) {
      const { status } = await one.call('GET', n % 2 === 0 ? '/vault' : '/nowhere')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 10 }, () => over(stranger(address))))
  return statuses
}

/** Begins to count; the result tells how many minutes have passed since. */
function countMinutes(): () => number {
  const begunMs = performance.now()
  return () => (performance.now() - begunMs) / 60_000
}

/** The answer with 429, which comes after the first calls: until then the address may have earned one call a second. */
async function refusedOverLimit(call: () => Promise<Heard>): Promise<Heard> {
  let heard = await call()
  for (let n = 0; n < allowed && heard.status !== 429; n++) heard = await call()
  return heard
}

const from = (address: string) => eventsOf(appliance).filter((event) => event['address'] === address)
const isSum = ({ operation }: Record<string, unknown>): boolean => operation === 'audit.unidentified'
const sumOf = (events: readonly Record<string, unknown>[]): number =>
  events.filter(isSum).reduce((sum, { count }) => sum + Number(count), 0)

describe('a flood of refused calls from one address', () => {
  it('fills no disk, and is counted to the last call', async () => {
    const minutes = countMinutes()
    const answered = await flood(2_000, '127.0.0.66')
    expect([...answered.values()].reduce((sum, one) => sum + one, 0)).toBe(2_000)
    await appliance.stop()
    const events = from('127.0.0.66')
    const singly = events.filter((event) => !isSum(event)).length
    // For each of two workers, and for a further interval where a minute ends meanwhile.
    const intervals = 2 + Math.floor(minutes())
    expect(singly).toBeLessThanOrEqual(2 * intervals * single)
    expect(events.length - singly).toBeLessThanOrEqual(2 * intervals)
    expect(singly + sumOf(events)).toBe(2_000)
  })

  it('leaves a trail that is sound, and says what was refused', async () => {
    await flood(1_000, '127.0.0.66')
    await appliance.restart()
    expect((await strongroom(appliance.configFile, ['audit', 'verify'])).stdout).toContain('Nothing was changed')
    const sums = from('127.0.0.66').filter(isSum)
    expect(sums.map(({ outcome }) => outcome)).toEqual(sums.map(() => 'noted'))
    expect(sums.map(({ subject }) => subject).join()).toMatch(/session\.invalid \d+.*request\.not_found \d+/)
  })

  it('is answered with 429 beyond what an address may, and others are not', async () => {
    const minutes = countMinutes()
    const answered = await flood(2_000, '127.0.0.66')
    // At each of two workers the address has so many calls at once, and earns as many in a minute.
    expect(answered.get(429)).toBeGreaterThan(2_000 - 2 * allowed * (1 + minutes()) - 200)
    const again = stranger('127.0.0.66')
    const refused = await refusedOverLimit(() => again.call('POST', '/auth', '{}'))
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect((await stranger('127.0.0.67').call('GET', '/vault')).status).toBe(403)
  })

  it('does not keep those out who have a session, and their calls are recorded one by one', async () => {
    const { token = '' } = await appliance.login()
    await flood(2_000, '127.0.0.66')
    const neighbour = stranger('127.0.0.66')
    for (let n = 0; n < 50; n++)
      expect((await neighbour.call('GET', '/vault', undefined, { 'X-Http-Token': token })).status).toBe(200)
    const forged = { 'X-Http-Token': 'x'.repeat(42) }
    expect(await refusedOverLimit(() => neighbour.call('GET', '/vault', undefined, forged))).toMatchObject({
      status: 429,
    })
    const records = from('127.0.0.66').filter(({ userId }) => userId !== undefined)
    expect(records).toHaveLength(50)
  })

  it('through a proxy is counted by the address of its client', async () => {
    const proxy = stranger('127.0.0.99')
    for (let n = 0; n < 2 * allowed + 100; n++)
      await proxy.call('GET', '/vault', undefined, { 'X-Forwarded-For': '203.0.113.7' })
    const statusOf = async (client: string) =>
      (await proxy.call('GET', '/vault', undefined, { 'X-Forwarded-For': client })).status
    expect([await statusOf('203.0.113.7'), await statusOf('203.0.113.8')]).toEqual([429, 403])
  })
})
