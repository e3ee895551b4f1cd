import { readDeliveryState } from '../../audit/delivery-state.ts'
import { forwarderOf } from '../../daemon/audit-witnesses.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'audit forwarding'
const { ok, problem } = findingsOf(topic)

/** Checks that the receiver of audit records is reached. */
export const forwardCheck: Check = {
  topic,
  async run(config) {
    const forwarder = forwarderOf(config)
    if (forwarder === undefined) return []
    const { sentAt, failing } = await readDeliveryState(config.audit.directory, forwarder)
    if (failing !== undefined)
      return [
        problem(
          `${forwarder.address} was not reached since ${new Date(failing.since).toISOString()} (${failing.reason})`,
          'Correct audit.forward or the way to it; what waits is sent by itself.',
        ),
      ]
    const last = sentAt === 0 ? 'nothing was sent yet' : `last told at ${new Date(sentAt).toISOString()}`
    return [ok(`${forwarder.address}: ${last}`)]
  },
}
