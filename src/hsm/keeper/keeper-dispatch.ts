import { Fault } from '../../fault.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { type KeeperOperation, keeperOperations } from '../protocol/frame.ts'
import type { Dispatch } from '../server/frame-server.ts'
import { createRequestFields } from '../server/request-fields.ts'
import { pong, statusFields } from '../server/reply-fields.ts'
import { createApplianceBackupHandlers } from './appliance-backup-handlers.ts'
import type { FileHealth } from './file-health.ts'
import { createFloorHandlers } from './floor-handlers.ts'
import { createGrantHandlers } from './grants.ts'
import type { KeeperHandler } from './keeper-handlers.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { createKeyHandlers } from './key-handlers.ts'
import { createLoginHandlers } from './login-handlers.ts'
import type { Origin } from './record-change.ts'
import { createSealHandlers } from './seal-handlers.ts'
import { createShownHandlers } from './shown-handlers.ts'
import { createTakeoverHandlers } from './takeover-handlers.ts'
import { createTrailHandlers } from './trail-handlers.ts'

/** While the token is down, requests make the keeper reopen it at most this often. */
const reopenEveryMs = 50

interface KeeperFiles {
  readonly health: FileHealth
  /** The room on their disk, as a field of a reply. */
  readonly room: () => Buffer
}

/** The operations that the keeper offers on one of its sockets. */
export function createKeeperDispatch(
  token: Token,
  memory: KeeperMemory,
  origin: Origin,
  { health, room }: KeeperFiles,
): Dispatch {
  const handlers: Record<KeeperOperation, KeeperHandler> = {
    ping: () => [...pong(token, health.fault()), Buffer.alloc(0), room()],
    status: () => statusFields(token, health.fault()),
    ...createSealHandlers(token, memory, origin),
    ...createKeyHandlers({ token, ...memory, fault: () => health.fault() }, origin),
    ...createGrantHandlers({ token, ...memory, now: Date.now }),
    ...createLoginHandlers({ token, ...memory }),
    ...createTrailHandlers(memory, origin),
    ...createFloorHandlers(memory.exchange),
    ...createApplianceBackupHandlers(memory, origin),
    ...createTakeoverHandlers(token, memory, origin),
    ...createShownHandlers(memory, origin),
  }
  const byCode = keeperOperations.map((name) => handlers[name])
  let triedMs = -Infinity
  return ({ code, fields }) => {
    // There is no other keeper to ask, so that a token that is back should be found before the next periodic check.
    if (token.state() === 'down' && performance.now() - triedMs > reopenEveryMs) {
      token.open()
      triedMs = performance.now()
    }
    const handler = byCode[code]
    if (handler === undefined) throw new Fault('hsm.unsupported', `This keeper knows no operation ${code}.`)
    return health.guard(() => handler(createRequestFields(fields)))
  }
}
