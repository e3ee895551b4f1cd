import type { Hsm } from '../../hsm/hsm.ts'
import { pagesOf } from '../../store/pages.ts'
import type { Tx } from '../../store/store.ts'
import { lastStep } from './codes.ts'
import { devicesAfter, type OtpDevice, raiseCounter, stateOf } from './records.ts'

export interface RaisingRules {
  readonly now: number
  readonly hotpLookAhead: number
  readonly totpDriftSteps: number
}

export interface RaisedCounters {
  readonly raised: number
  /** Devices whose row has a broken seal. Their OTPs are not accepted in any case. */
  readonly broken: number
}

const pageSize = 500

/**
 * Raises the counters of all devices after the database was restored, to use up OTPs accepted since the backup as far
 * as they can be known: for a hardware token all until it is plugged in again, for an authenticator app all of this
 * moment, for a HOTP token as many as the look-ahead window has. For the operator.
 */
export async function raiseCounters(hsm: Pick<Hsm, 'raiseOtps'>, tx: Tx, rules: RaisingRules): Promise<RaisedCounters> {
  let [raised, broken] = [0, 0]
  for await (const devices of pagesOf((after, most) => devicesAfter(tx, after, most), pageSize)) {
    if (devices.length === 0) break
    const states = devices.map((device) => ({ ...stateOf(device), counter: raisedCounter(device, rules) }))
    const good = await hsm.raiseOtps(states)
    for (const [at, { id }] of devices.entries()) {
      const counter = states[at]?.counter ?? 0
      if (good[at] === true) await raiseCounter(tx, id, counter)
    }
    raised += good.filter((isGood) => isGood).length
    broken += good.filter((isGood) => !isGood).length
  }
  return { raised, broken }
}

/** The counter of a hardware token is (use counter << 8) session use (`OtpState`). */
function raisedCounter({ kind, counter, periodSeconds, driftSteps }: OtpDevice, rules: RaisingRules): number {
  if (kind === 'hwkey_otp') return counter | 0xff
  if (kind === 'hotp' || periodSeconds === null) return counter + rules.hotpLookAhead + 1
  return Math.max(counter, lastStep(periodSeconds, driftSteps, rules.now, rules))
}
