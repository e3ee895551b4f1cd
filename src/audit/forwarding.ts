import { setTimeout as sleep } from 'node:timers/promises'
import { cefOf } from './reading/cef.ts'
import type { ReadRecord } from './reading/trail-record.ts'
import { readOn } from './reading/trail-tail.ts'
import { createSyslogSender, type SyslogSettings } from './syslog-sender.ts'
import type { Courier, CourierOptions } from './witness/courier.ts'
import type { ReadPoints } from './witness/head-reader.ts'
import { readDeliveryState, writeDeliveryState } from './delivery-state.ts'

/** A receiver of all records, outside the machine. */
export interface Forwarder {
  /** Shown in the journal and by `strongroom doctor`. */
  readonly address: string
  /** A file in the folder of the trail that records how far the receiver has the trail. */
  readonly stateFile: string
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

const lookMs = 1_000
const longestRetryMs = 60_000
/** About this many bytes of the trail are sent over one connection. */
const batchBytes = 256 * 1024

/**
 * Sends new records of the trail to a receiver. The trail itself is the queue, so that no call waits. The position is
 * stored after each batch; after a crash or a lost answer, a batch is sent again.
 */
export function startForwarding({ directory, forwarder, clock, log }: ForwardingOptions): Courier {
  const stopped = new AbortController()
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

  async function fail(error: unknown): Promise<boolean> {
    failures += 1
    if (failures > 1) return false
    log.warn(
      { receiver: forwarder.address, err: error },
      'audit records cannot be forwarded; calls go on, and they are sent later',
    )
    const { sentAt } = await readDeliveryState(directory, forwarder)
    const reason = error instanceof Error ? error.message : String(error)
    await writeDeliveryState(directory, forwarder, { points, sentAt, failing: { since: clock.now(), reason } })
    return false
  }

  async function run(): Promise<void> {
    points = (await readDeliveryState(directory, forwarder)).points
    while (!stopped.signal.aborted) {
      const isMore = await sendSome()
        .catch(fail)
        .catch(() => false)
      const pauseMs = failures === 0 ? lookMs : Math.min(lookMs * 2 ** failures, longestRetryMs)
      if (!isMore) await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
