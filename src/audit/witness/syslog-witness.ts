import { createSyslogSender, type SyslogMessage, type SyslogSettings } from '../syslog-sender.ts'
import type { Witness } from './courier.ts'
import { headParameters, type SignedHead } from './signed-head.ts'

// 32473 is the enterprise number for documentation (RFC 5612), because Strongroom has none of its own.
const structureId = 'strongroom@32473'

/** Sends heads to a syslog receiver. */
export function createSyslogWitness(settings: SyslogSettings): Witness {
  const sender = createSyslogSender(settings)
  return {
    stateFile: 'witness-syslog.json',
    address: sender.address,
    everyMs: 0,
    send: (heads) => sender.send(heads.map(messageOf)),
  }
}

/** The text repeats the structured data, because some receivers store only the text. */
function messageOf(head: SignedHead): SyslogMessage {
  const parameters = headParameters(head)
  return { at: head.at, kind: 'audit-head', data: `[${structureId} ${parameters}]`, text: parameters }
}
