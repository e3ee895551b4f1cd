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
  /** From where it is asked for; tries are counted for the device as tried from there. */
  readonly address: string
}

export interface Resync {
  /**
   * Finds a HOTP token again that was pressed too often (RFC 4226 §7.4), ahead of where it was seen last and never before. Both codes
   * are used up.
   * @throws Fault `otp.device_not_found`, `otp.device_invalid`, `otp.resync_failed`, `login.throttled`
   */
  resynchronise(request: ResyncRequest, commit: Commit): Promise<void>
}

/** Counts tries before they are looked at. */
export interface TryLimit {
  /** @throws Fault `login.throttled` */
  count(tx: Tx, subject: string, address: string): Promise<void>
  forgive(tx: Tx, subject: string, address: string): Promise<void>
}

export interface ResyncDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'otpHmac'>
  readonly clock: Clock
  readonly window: number
  readonly limit: TryLimit
}

/** Codes worked out at once: the token serves logins beside. */
const atOnce = 50

export function createResync({ store, hsm, clock, window, limit }: ResyncDependencies): Resync {
  /** Where the second of the two codes stands. */
  async function secondPlace(device: OtpDevice, [first, second]: ResyncRequest['codes']): Promise<number | undefined> {
    const end = device.counter + window
    for (let from = device.counter; from < end; from += atOnce) {
      const places = Array.from({ length: Math.min(atOnce, end - from) }, (_, at) => from + at)
      const right = await Promise.all(places.map((place) => isCodeAt(hsm, device, place, first)))
      for (const place of places.filter((_, at) => right[at]))
        if (await isCodeAt(hsm, device, place + 1, second)) return place + 1
    }
    return undefined
  }

  return {
    async resynchronise({ userId, deviceId, codes, address }, commit) {
      const device = await findOfUser(store.read, userId, deviceId)
      if (device === undefined) throw new Fault('otp.device_not_found')
      if (device.kind !== 'hotp')
        throw new Fault('otp.device_invalid', 'Only a HOTP token can be resynchronised; the others need not be.')
      const subject = `OTP device ${deviceId}`
      await store.transaction((tx) => limit.count(tx, subject, address))
      const place = await secondPlace(device, codes)
      if (place === undefined) throw new Fault('otp.resync_failed')
      await commit(async (tx) => {
        const advance = { counter: place + 1, driftSteps: 0, ticks: null, usedAt: clock.now() }
        if (!(await advanceCounter(tx, deviceId, userId, advance))) throw new Fault('otp.resync_failed')
        await limit.forgive(tx, subject, address)
      })
    },
  }
}
