import { groupsOf } from '../../groups.ts'
import type { OtpState } from '../otp-use.ts'
import type { ApplianceBackupPort } from '../appliance-backup-port.ts'
import { listFields } from '../protocol/fields.ts'
import { stateFields } from './login-calls.ts'
import { field } from './replies.ts'
import type { Keeper } from './request-router.ts'

const devicesAtOnce = 500

/** Requests of the operator to the keeper for a backup of the appliance, and after its restore. */
export function applianceBackupCalls(keeper: Keeper) {
  return {
    async signManifest(hash) {
      const reply = await keeper.call('signManifest', [Buffer.from(hash)])
      return { text: field(reply, 0).toString(), signature: field(reply, 1), signer: field(reply, 2) }
    },
    async copyState(to = '') {
      const points: Record<string, number> = JSON.parse(
        field(await keeper.call('copyState', [Buffer.from(to)]), 0).toString(),
      )
      return new Map(Object.entries(points))
    },
    async raiseOtps(devices) {
      const raised: boolean[] = []
      for (const some of groupsOf(devices, devicesAtOnce)) raised.push(...(await raiseSome(keeper, some)))
      return raised
    },
  } satisfies ApplianceBackupPort
}

async function raiseSome(keeper: Keeper, devices: readonly OtpState[]): Promise<boolean[]> {
  const reply = await keeper.call('raiseOtps', listFields(devices, stateFields))
  return devices.map((_, at) => field(reply, at).length > 0)
}
