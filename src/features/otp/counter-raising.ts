import type { Hsm } from '../../hsm/hsm.ts'
import { pagesOf } from '../../store/pages.ts'
import type { Tx } from '../../store/store.ts'
import { devicesAfter, type OtpDevice, raiseCounter, stateOf } from './records.ts'

export interface RaisingRules {
  readonly now: number
  readonly hotpLookAhead: number
  readonly totpDriftSteps: number
}

export interface RaisedCounters {
  readonly raised: number
  /** Devices whose row bears no good seal: nothing that they make is accepted in any case. */
  readonly broken: number
}

const pageSize = 500

/**
 * Uses up what devices may have made between a backup and now, for the operator, as far as that can be known: of a hardware
 * token all until it is plugged in anew, of an authenticator app all of this moment, of a HOTP token as many as are looked
 * ahead.
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

/** The counter of a hardware token is (power-ups << 8) | presses since (`OtpState`). */
function raisedCounter({ kind, counter, periodSeconds, driftSteps }: OtpDevice, rules: RaisingRules): number {
  if (kind === 'hwkey_otp') return counter | 0xff
  if (kind === 'hotp' || periodSeconds === null) return counter + rules.hotpLookAhead + 1
  const current = Math.floor(rules.now / 1000 / periodSeconds)
  return Math.max(counter, current + driftSteps + rules.totpDriftSteps)
}
