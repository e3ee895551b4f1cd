import { randomUUID } from 'node:crypto'
import type { AuditTrail } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import type { Recoveries } from '../users/recovery.ts'
import { createBegunEnrolments, type BegunEnrolments } from './begun-enrolment.ts'
import { createDevices, type Devices } from './devices.ts'
import { createEnrolments, type Enrolments } from './enrolment.ts'
import { createOtps, type OtpDependencies, type Otps } from './otp.ts'
import { createResync, type Resync, type ResyncLimit } from './resync.ts'

/** One-time passwords and the devices that make them. */
export interface OtpServices {
  readonly otps: Otps
  readonly enrolments: Enrolments
  readonly begunEnrolments: BegunEnrolments
  readonly devices: Devices
  readonly resync: Resync
}

export function createOtp(dependencies: {
  readonly store: Store
  readonly hsm: Hsm
  readonly clock: Clock
  readonly audit: Pick<AuditTrail, 'append'>
  readonly rules: OtpDependencies['rules']
  readonly enabledTypes: readonly string[]
  readonly resyncLimit: ResyncLimit
  readonly recoveries: Pick<Recoveries, 'note'>
}): OtpServices {
  const { store, hsm, clock, audit, rules, enabledTypes, resyncLimit: limit, recoveries } = dependencies
  const otps = createOtps({ hsm, clock, rules, enabledTypes, alarm: alarmOf(audit, clock) })
  return {
    otps,
    enrolments: createEnrolments({ hsm, recoveries, clock }),
    begunEnrolments: createBegunEnrolments({ hsm, clock }),
    devices: createDevices({ store, hsm, otps, recoveries }),
    resync: createResync({ store, hsm, clock, limit }),
  }
}

/** Records the alarms about devices whose OTPs are refused. */
function alarmOf(audit: Pick<AuditTrail, 'append'>, clock: Clock): OtpDependencies['alarm'] {
  return (operation, { id, publicId, userId }) =>
    audit.append({
      at: clock.now(),
      operation,
      requestId: randomUUID(),
      outcome: 'noted',
      username: 'appliance',
      target: `user ${userId}: OTP device ${publicId ?? id}`,
    })
}
