import { Module, Slot } from 'graphene-pk11'
import pkcs11 from 'pkcs11js'
import type { TokenStatus } from '../hsm.ts'
import type { Connection } from './connection.ts'
import { attempt } from './failure.ts'
import { mechanismName } from './mechanisms.ts'
import { listObjects, tokenObjectLabel, vaultKeyLabel } from './root-objects.ts'
import type { Token } from './token.ts'

/** CK_UNAVAILABLE_INFORMATION as pkcs11js gives it. */
const unavailableCount = 0xffff_ffff
const ownSessions = 2

/** What an administrator wants to know of the token; searches all objects, so it is not for every second. */
export function tokenStatus(token: Token): TokenStatus {
  return token.run((connection) => {
    const { label, serialNumber, manufacturerID, model, sessionCount, maxSessionCount } = attempt('session', () =>
      slotOf(connection).getToken(),
    )
    const objects = listObjects(connection.session)
    return {
      label: label.trim(),
      serial: serialNumber.trim(),
      manufacturer: manufacturerID.trim(),
      model: model.trim(),
      slot: connection.slot.handle.readUInt32LE(),
      mechanisms: [...connection.mechanisms].map(mechanismName).toSorted(),
      objects: {
        root: [...new Set(objects.map((object) => object.label))]
          .filter((name) => name !== vaultKeyLabel && name !== tokenObjectLabel)
          .toSorted(),
        vaultKeys: objects.filter(
          (object) => object.label === vaultKeyLabel && object.objectClass === pkcs11.CKO_SECRET_KEY,
        ).length,
        residentKeys: objects.filter((object) => object.label === tokenObjectLabel).length,
      },
      // Many tokens count no sessions; this process alone holds its keySession and its operation session.
      sessions: { open: sessionCount === unavailableCount ? ownSessions : sessionCount, max: maxSessionCount },
      handles: { held: connection.keys.held(), limit: connection.keys.limit },
      epoch: token.epoch(),
      conformance: token.conformance(),
    }
  })
}

function slotOf({ lib, slot }: Connection): Slot {
  return new Slot(slot.handle, new Module(lib), lib)
}
