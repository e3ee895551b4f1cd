import { createServices, type Services } from '../../../src/daemon/services.ts'
import type { AuditEvent } from '../../../src/audit/event.ts'
import type { ExaminedOtp } from '../../../src/features/otp/otp.ts'
import type { OtpKind } from '../../../src/features/otp/records.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { startKeeperAt } from '../../support/turned-keeper.ts'

/** The domain code of OTPs over a real token and database, with a clock that the test controls. */
export interface OtpBench {
  readonly appliance: TestAppliance
  readonly services: Services
  readonly clock: { nowMs: number; now(): number }
  /** Events that the appliance recorded by itself. */
  readonly records: AuditEvent[]
  /** Examines and consumes an OTP like a login. Undefined when it is refused. */
  use(user: Pick<TestUser, 'id'>, otp: string, kind?: OtpKind): Promise<ExaminedOtp | undefined>
  close(): Promise<void>
}

export async function startBench(): Promise<OtpBench> {
  const appliance = await TestAppliance.shared()
  const { config, store } = appliance
  const clock = { nowMs: Date.now(), now: () => clock.nowMs }
  const records: AuditEvent[] = []
  const append = (event: AuditEvent) => Promise.resolve(void records.push(event))
  const keeper = await startKeeperAt(appliance, clock.now)
  const { hsm } = keeper
  const services = createServices({ config, store, hsm, clock, audit: { append } })
  const { otps } = services
  return {
    appliance,
    services,
    clock,
    records,
    async use(user, otp, kind = 'totp') {
      const examined = await otps.examine(store.read, user.id, kind, otp)
      if (examined === undefined || !(await store.transaction((tx) => otps.consume(tx, examined)))) return undefined
      return (await otps.useUp(examined)) ? examined : undefined
    },
    async close() {
      await keeper.close()
      await appliance.close()
    },
  }
}
