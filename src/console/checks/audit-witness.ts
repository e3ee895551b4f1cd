import { readHeads } from '../../audit/witness/head-reader.ts'
import { readDeliveryState } from '../../audit/delivery-state.ts'
import { witnessesOf } from '../../daemon/audit-witnesses.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'audit witness'
const { ok, warning, problem } = findingsOf(topic)
/** A witness may be behind by its interval, and by this time for sending. */
const graceMs = 60_000

/** Checks that each witness outside the machine has the newest heads of the trail. */
export const witnessCheck: Check = {
  topic,
  async run(config) {
    const { directory } = config.audit
    const witnesses = witnessesOf(config)
    if (witnesses.length === 0)
      return [ok('none: audit.witness would send the signed heads of the trail to another machine')]
    return Promise.all(
      witnesses.map(async (witness) => {
        const { points, sentAt, failing } = await readDeliveryState(directory, witness)
        const { heads } = await readHeads(directory, points)
        const waiting = `${count(heads.length, 'signed head')} waiting`
        if (failing !== undefined)
          return problem(
            `${witness.address} was not reached since ${new Date(failing.since).toISOString()} (${failing.reason}), ${waiting}`,
            'Correct audit.witness or the way to it; what waits is sent by itself.',
          )
        const oldest = Math.min(...heads.map(({ at }) => at))
        if (Date.now() - oldest > witness.everyMs + graceMs)
          return warning(
            `${witness.address} does not know all signed heads, ${waiting}`,
            'Start the daemon; its first worker sends them.',
          )
        const last = sentAt === 0 ? 'nothing was signed yet' : `last told at ${new Date(sentAt).toISOString()}`
        return ok(`${witness.address}: ${last}`)
      }),
    )
  },
}
