import type { Courier } from '../audit/delivery-loop.ts'
import { createSyslogForwarder, startForwarding, type Forwarder } from '../audit/forwarding.ts'
import { startCourier, type Witness } from '../audit/witness/courier.ts'
import { createSyslogWitness } from '../audit/witness/syslog-witness.ts'
import { createTimestampWitness } from '../audit/witness/timestamp-witness.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import { readRelease, releaseName } from '../release.ts'
import type { Log } from '../log.ts'

/** The witnesses in the configuration. */
export function witnessesOf({ audit: { directory, witness } }: Config): Witness[] {
  return [
    ...(witness?.syslog === undefined ? [] : [createSyslogWitness(witness.syslog)]),
    ...(witness?.timestamp === undefined ? [] : [createTimestampWitness(witness.timestamp, directory)]),
  ]
}

export function forwarderOf({ audit: { forward } }: Config): Forwarder | undefined {
  return forward && createSyslogForwarder(forward.syslog, forward.format, releaseName(readRelease()))
}

/**
 * Sends the heads of this machine's chains to each witness, and their records to a receiver. Runs in the first worker
 * only.
 */
export function startCouriers(config: Config, log: Log): Courier {
  const { directory } = config.audit
  const couriers = witnessesOf(config).map((witness) => startCourier({ directory, witness, clock: systemClock, log }))
  const forwarder = forwarderOf(config)
  if (forwarder) couriers.push(startForwarding({ directory, forwarder, clock: systemClock, log }))
  return { stop: async () => void (await Promise.all(couriers.map((courier) => courier.stop()))) }
}
