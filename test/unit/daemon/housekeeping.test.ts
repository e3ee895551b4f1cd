import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startHousekeeping } from '../../../src/daemon/housekeeping.ts'
import type { Services } from '../../../src/daemon/services.ts'
import { createLog } from '../../../src/log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const log = createLog({ level: 'silent', name: 'test' })

/** Services whose chores do nothing; `sweep` is the last of them. */
function givenServices(sweep: () => Promise<void>): Services {
  const nothing = () => Promise.resolve([])
  const none = () => Promise.resolve(0)
  const services = {
    keyDeletion: { destroyExpired: nothing },
    sessions: { endExpired: none },
    throttle: { sweep },
    destruction: { destroyPending: nothing, showTombstones: none },
    validationClients: { showRevoked: none },
    objectDestruction: { destroyExpired: nothing, sweepUploads: none },
  }
  return services as unknown as Services
}

it('housekeeping begins within a minute of the start and goes on every ten minutes', async () => {
  const sweep = vi.fn(() => Promise.resolve())
  const housekeeping = startHousekeeping({ services: givenServices(sweep), log })
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
  const housekeeping = startHousekeeping({ services: givenServices(sweep), log })
  await vi.advanceTimersByTimeAsync(60_000)
  let stopped = false
  const stopping = housekeeping.stop().then(() => (stopped = true))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(stopped).toBe(false)
  finish()
  await stopping
})
