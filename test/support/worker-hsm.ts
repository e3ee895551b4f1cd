import { keeperOf } from '../../src/config/keeper-section.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import type { TestAppliance } from './appliance.ts'

/**
 * A client over the sockets that an attacker in a worker has: those of keeper, token hosts and key maker. Close it
 * after the tests.
 */
export function workerHsm({ config }: Pick<TestAppliance, 'config'>): Hsm {
  const { sockets, deadlineMs, queue } = config.hsm
  const keyMakerSocket = keyMakerSocketOf(config.hsm)
  return createHsmClient({ sockets, keyMakerSocket, keeper: keeperOf(config).socket, deadlineMs, queue })
}
