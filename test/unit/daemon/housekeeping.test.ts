import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startHousekeeping } from '../../../src/daemon/housekeeping.ts'
import type { Services } from '../../../src/daemon/services.ts'
import { createLog } from '../../../src/log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const log = createLog({ level: 'silent', name: 'test' })
const believedClock = { isBelieved: () => Promise.resolve(true) }

/** Services whose chores do nothing; `sweep` is the last of them, `sweepUploads` an earlier one. */
function givenServices(sweep: () => Promise<void>, sweepUploads = () => Promise.resolve(0)): Services {
  const nothing = () => Promise.resolve([])
  const none = () => Promise.resolve(0)
  const services = {
    keyDeletion: { destroyExpired: nothing },
    sessions: { endExpired: none },
    throttle: { sweep },
    destruction: { destroyPending: nothing, showTombstones: none },
    users: { showAll: none },
    showMemberships: none,
    validationClients: { showRevoked: none },
    objectDestruction: { destroyExpired: nothing, sweepUploads },
  }
  return services as unknown as Services
}

it('housekeeping begins within a minute of the start and goes on every ten minutes', async () => {
  const sweep = vi.fn(() => Promise.resolve())
  const housekeeping = startHousekeeping({ services: givenServices(sweep), log, believedClock })
  expect(sweep).toHaveBeenCalledTimes(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweep).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(3 * 600_000)
  expect(sweep).toHaveBeenCalledTimes(4)
  await housekeeping.stop()
  await vi.advanceTimersByTimeAsync(3 * 600_000)
  expect(sweep).toHaveBeenCalledTimes(4)
})

it('housekeeping stops once the chore under way has ended', async () => {
  let finish = (): void => undefined
  const sweep = () => new Promise<void>((resolve) => (finish = resolve))
  const housekeeping = startHousekeeping({ services: givenServices(sweep), log, believedClock })
  await vi.advanceTimersByTimeAsync(60_000)
  let stopped = false
  const stopping = housekeeping.stop().then(() => (stopped = true))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(stopped).toBe(false)
  finish()
  await stopping
})

it('housekeeping does to its end what there is to do, in groups with a pause between them, and the other chores once', async () => {
  let left = 3
  const sweepUploads = vi.fn(() => Promise.resolve(left === 0 ? 0 : left--))
  const sweep = vi.fn(() => Promise.resolve())
  const housekeeping = startHousekeeping({ services: givenServices(sweep, sweepUploads), log, believedClock })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(sweepUploads).toHaveBeenCalledTimes(1)
  expect(sweep).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweepUploads).toHaveBeenCalledTimes(4)
  expect(sweep).toHaveBeenCalledTimes(1)
  await housekeeping.stop()
})

it('housekeeping that has always more to do stops all the same', async () => {
  const sweepUploads = vi.fn(() => Promise.resolve(1))
  const housekeeping = startHousekeeping({
    services: givenServices(() => Promise.resolve(), sweepUploads),
    log,
    believedClock,
  })
  await vi.advanceTimersByTimeAsync(40_000)
  expect(sweepUploads.mock.calls.length).toBeGreaterThan(5)
  await housekeeping.stop()
})

it('housekeeping destroys nothing from when the clock is not believed any more, and does the rest', async () => {
  let isBelieved = true
  const sweepUploads = vi.fn(() => Promise.resolve(1))
  const destroyExpired = vi.fn(() => Promise.resolve([{ vaultId: 1, name: 'k' }]))
  const services = { ...givenServices(() => Promise.resolve(), sweepUploads), keyDeletion: { destroyExpired } }
  const housekeeping = startHousekeeping({
    services: services as unknown as Services,
    log,
    believedClock: { isBelieved: () => Promise.resolve(isBelieved) },
  })
  await vi.advanceTimersByTimeAsync(40_000)
  isBelieved = false
  const [destroyed, swept] = [destroyExpired, sweepUploads].map(({ mock }) => mock.calls.length)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(destroyExpired).toHaveBeenCalledTimes(destroyed ?? 0)
  expect(sweepUploads.mock.calls.length).toBeGreaterThan(swept ?? 0)
  expect(destroyed).toBeGreaterThan(5)
  await housekeeping.stop()
})
