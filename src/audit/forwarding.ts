import { errorMessageOf } from '../fault.ts'
import { cefOf } from './reading/cef.ts'
import type { ReadRecord } from './reading/trail-record.ts'
import { readOn } from './reading/trail-tail.ts'
import { createSyslogSender, type SyslogSettings } from './syslog-sender.ts'
import type { CourierOptions } from './witness/courier.ts'
import type { ReadPoints } from './witness/head-reader.ts'
import { type Courier, startDeliveryLoop } from './delivery-loop.ts'
import { readDeliveryState, type Receiver, writeDeliveryState } from './delivery-state.ts'

/** A receiver of all records, outside the machine. */
export interface Forwarder extends Receiver {
  /** Resolves once the receiver has read all records. */
  send(records: readonly ReadRecord[]): Promise<void>
}

export function createSyslogForwarder(settings: SyslogSettings, format: 'json' | 'cef', release: string): Forwarder {
  const sender = createSyslogSender(settings)
  return {
    address: sender.address,
    stateFile: 'forward-syslog.json',
    send: (records) =>
      sender.send(
        records.map(({ record, text }) => ({
          at: record.at,
          kind: 'audit-record',
          data: '-',
          text: format === 'cef' ? cefOf(record, release) : text,
        })),
      ),
  }
}

export interface ForwardingOptions extends Pick<CourierOptions, 'directory' | 'clock' | 'log'> {
  readonly forwarder: Forwarder
}

/** About this many bytes of the trail are sent over one connection. */
const batchBytes = 256 * 1024

/**
 * Sends new records of the trail to a receiver. The trail itself is the queue, so that no call waits. The position is
 * stored after each batch; after a crash or a lost answer, a batch is sent again.
 */
export function startForwarding({ directory, forwarder, clock, log }: ForwardingOptions): Courier {
  let points: ReadPoints = {}
  let failures = 0

  /** Resolves to whether there may be more to send. */
  async function sendSome(): Promise<boolean> {
    const news = await readOn(directory, points, batchBytes)
    if (news.records.length > 0) await forwarder.send(news.records)
    const isNew = JSON.stringify(news.points) !== JSON.stringify(points)
    points = news.points
    if (failures > 0) log.info({ receiver: forwarder.address }, 'audit records are forwarded again')
    if (isNew || failures > 0) await writeDeliveryState(directory, forwarder, { points, sentAt: clock.now() })
    failures = 0
    return isNew
  }

  async function fail(error: unknown): Promise<void> {
    failures += 1
    if (failures > 1) return
    log.warn(
      { receiver: forwarder.address, err: error },
      'audit records cannot be forwarded; calls go on, and they are sent later',
    )
    const { sentAt } = await readDeliveryState(directory, forwarder)
    const failing = { since: clock.now(), reason: errorMessageOf(error) }
    await writeDeliveryState(directory, forwarder, { points, sentAt, failing })
  }

  return startDeliveryLoop({
    begin: async () => void ({ points } = await readDeliveryState(directory, forwarder)),
    look: sendSome,
    fail,
    failures: () => failures,
  })
}
