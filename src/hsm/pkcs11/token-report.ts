import { ObjectClass } from 'graphene-pk11'
import type { TokenStatus } from '../hsm.ts'
import { attempt } from './failure.ts'
import { mechanismName } from './mechanisms.ts'
import type { Token } from './token-link.ts'
import { listObjects, tokenObjectLabel, vaultKeyLabel } from './token-objects.ts'

/** CK_UNAVAILABLE_INFORMATION as pkcs11js gives it. */
const unavailableCount = 0xffff_ffff
const ownSessions = 2

/** What an administrator wants to know of the token; searches all objects, so it is not for every second. */
export function tokenStatus(token: Token): TokenStatus {
  return token.run((connection) => {
    const info = attempt('session', () => connection.slot.getToken())
    const objects = listObjects(connection)
    return {
      label: info.label,
      serial: info.serialNumber,
      manufacturer: info.manufacturerID,
      model: info.model,
      slot: connection.slot.handle.readUInt32LE(),
      mechanisms: [...connection.mechanisms].map(mechanismName).toSorted(),
      objects: {
        root: [...new Set(objects.map((object) => object.label))]
          .filter((name) => name !== vaultKeyLabel && name !== tokenObjectLabel)
          .toSorted(),
        vaultKeys: objects.filter(
          (object) => object.label === vaultKeyLabel && object.objectClass === ObjectClass.SECRET_KEY,
        ).length,
        residentKeys: objects.filter((object) => object.label === tokenObjectLabel).length,
      },
      // Many tokens count no sessions; this process alone holds its key session and its operation session.
      sessions: {
        open: info.sessionCount === unavailableCount ? ownSessions : info.sessionCount,
        max: info.maxSessionCount,
      },
      handles: { held: connection.keys.held(), limit: connection.keys.limit },
      epoch: token.epoch(),
      conformance: token.conformance(),
    }
  })
}
