import { Fault } from '../../fault.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { advanceCounter, findOfUser, stateOf } from './records.ts'

export interface ResyncRequest {
  readonly userId: number
  readonly deviceId: number
  /** Two consecutive codes of the token. */
  readonly codes: readonly [string, string]
  /** The client's address: tries are counted per device and network. */
  readonly address: string
}

export interface Resync {
  /**
   * Finds the counter of a HOTP token that was pressed too often (RFC 4226 §7.4). It only moves forwards. Both codes
   * are used up.
   * @throws Fault `otp.device_not_found`, `otp.device_invalid`, `otp.resync_failed`, `login.throttled`
   */
  resynchronise(request: ResyncRequest, commit: Commit): Promise<void>
}

/** Counts tries to resynchronise a device before their codes are checked. */
export interface ResyncLimit {
  /** Counts a try; call the result after a success to take it back. @throws Fault `login.throttled` */
  count(tx: Tx, name: string, address: string): Promise<(tx: Tx) => Promise<void>>
}

export function createResync({
  store,
  hsm,
  clock,
  limit,
}: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'resynchroniseOtp' | 'useOtp'>
  readonly clock: Clock
  readonly limit: ResyncLimit
}): Resync {
  return {
    async resynchronise({ userId, deviceId, codes, address }, commit) {
      const device = await findOfUser(store.read, userId, deviceId)
      if (device === undefined) throw new Fault('otp.device_not_found')
      if (device.kind !== 'hotp')
        throw new Fault('otp.device_invalid', 'Only a HOTP token can be resynchronised; the others need not be.')
      const name = `OTP device ${deviceId}`
      const forgive = await store.transaction((tx) => limit.count(tx, name, address))
      const state = stateOf(device)
      const counter = await hsm.resynchroniseOtp(state, codes)
      if (counter === undefined) throw new Fault('otp.resync_failed')
      await commit(async (tx) => {
        const advance = { counter, driftSteps: 0, ticks: null, usedAt: clock.now() }
        if (!(await advanceCounter(tx, deviceId, userId, advance))) throw new Fault('otp.resync_failed')
        await forgive(tx)
        afterCommit(tx, () => hsm.useOtp([{ ...state, counter: counter - 1 }], { code: codes[1] }))
      })
    },
  }
}
