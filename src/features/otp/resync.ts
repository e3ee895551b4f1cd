import { Fault } from '../../fault.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { isCodeAt } from './codes.ts'
import { advanceCounter, findOfUser, type OtpDevice } from './records.ts'

export interface ResyncRequest {
  readonly userId: number
  readonly deviceId: number
  /** Two codes that the token gave one after the other. */
  readonly codes: readonly [string, string]
  /** Of the client: tries are counted per device and network. */
  readonly address: string
}

export interface Resync {
  /**
   * Finds the counter of a HOTP token that was pressed too often (RFC 4226 §7.4): ahead of the last known one, never
   * behind it. Both codes are used up.
   * @throws Fault `otp.device_not_found`, `otp.device_invalid`, `otp.resync_failed`, `login.throttled`
   */
  resynchronise(request: ResyncRequest, commit: Commit): Promise<void>
}

/** Counts tries before they are checked. */
export interface TryLimit {
  /** @throws Fault `login.throttled` */
  count(tx: Tx, name: string, address: string): Promise<void>
  forgive(tx: Tx, name: string, address: string): Promise<void>
}

/** Codes computed at once: the token serves logins beside. */
const atOnce = 50

export function createResync({
  store,
  hsm,
  clock,
  window,
  limit,
}: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'otpHmac'>
  readonly clock: Clock
  readonly window: number
  readonly limit: TryLimit
}): Resync {
  /** The counter of the second of the two codes. */
  async function counterOfSecond(
    device: OtpDevice,
    [first, second]: ResyncRequest['codes'],
  ): Promise<number | undefined> {
    const end = device.counter + window
    for (let from = device.counter; from < end; from += atOnce) {
      const counters = Array.from({ length: Math.min(atOnce, end - from) }, (_, index) => from + index)
      const right = await Promise.all(counters.map((counter) => isCodeAt(hsm, device, counter, first)))
      for (const counter of counters.filter((_, index) => right[index]))
        if (await isCodeAt(hsm, device, counter + 1, second)) return counter + 1
    }
    return undefined
  }

  return {
    async resynchronise({ userId, deviceId, codes, address }, commit) {
      const device = await findOfUser(store.read, userId, deviceId)
      if (device === undefined) throw new Fault('otp.device_not_found')
      if (device.kind !== 'hotp')
        throw new Fault('otp.device_invalid', 'Only a HOTP token can be resynchronised; the others need not be.')
      const name = `OTP device ${deviceId}`
      await store.transaction((tx) => limit.count(tx, name, address))
      const counter = await counterOfSecond(device, codes)
      if (counter === undefined) throw new Fault('otp.resync_failed')
      await commit(async (tx) => {
        const advance = { counter: counter + 1, driftSteps: 0, ticks: null, usedAt: clock.now() }
        if (!(await advanceCounter(tx, deviceId, userId, advance))) throw new Fault('otp.resync_failed')
        await limit.forgive(tx, name, address)
      })
    },
  }
}
