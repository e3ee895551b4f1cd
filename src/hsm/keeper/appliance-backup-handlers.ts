import { hash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { keyId } from '../audit-end.ts'
import { manifestHashForm, manifestStatement } from '../manifest-statement.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { stateIn } from './otp-fields.ts'
import { checkOperator, type Origin } from './record-change.ts'

const mostDevices = 1_000

/** Operations for the operator who makes or restores a backup of the appliance. */
export function createApplianceBackupHandlers(
  { auditKeys, auditEnds, otps, copyState, now }: KeeperMemory,
  origin: Origin,
) {
  return {
    signManifest(fields) {
      checkOperator(origin)
      const manifest = fields.text()
      if (!manifestHashForm.test(manifest)) throw new Fault('hsm.rejected', 'This is not a hash of a manifest.')
      const signer = auditKeys.publicKey()
      const text = Buffer.from(manifestStatement(manifest, now(), keyId(signer)))
      return [text, auditKeys.sign(hash('sha256', text, 'buffer')), signer]
    },
    /** Leaves the copy for the operator. The reply has the position of each chain in it. */
    copyState(fields) {
      checkOperator(origin)
      copyState(fields.text() || undefined)
      const points = [...auditEnds.points()].map(([chain, { seq }]) => [chain, seq])
      return [Buffer.from(JSON.stringify(Object.fromEntries(points)))]
    },
    /** For each device whether its seal is valid: '1', or ''. */
    raiseOtps(fields) {
      checkOperator(origin)
      const devices = fields.integer()
      if (!(devices <= mostDevices))
        throw new Fault('hsm.rejected', `At most ${mostDevices} devices are raised together.`)
      return Array.from({ length: devices }, () => Buffer.from(otps.raise(stateIn(fields)) ? '1' : ''))
    },
  } satisfies KeeperHandlers
}
