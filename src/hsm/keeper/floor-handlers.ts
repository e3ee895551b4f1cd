import { Fault } from '../../fault.ts'
import type { FloorHeads } from '../floor-news.ts'
import type { FloorExchange } from './floor-exchange.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'

const mostMachines = 1_024
const machineForm = /^[0-9a-f]{32}$/

/** Operations by which workers carry news between the keepers of several machines. */
export function createFloorHandlers(exchange: FloorExchange) {
  return {
    /**
     * Replies with the standing as JSON and the batch: number, record and seal, empty for none. An empty request asks
     * for the standing only.
     */
    floorNews(fields) {
      const text = fields.text()
      const news = text === '' ? undefined : exchange.news(headsIn(text))
      const { batch, ...standing } = news ?? { ...exchange.standing(), batch: undefined }
      const told = batch === undefined ? ['', '', ''] : [String(batch.number), batch.sealed.record, batch.sealed.seal]
      return [JSON.stringify(standing), ...told].map((field) => Buffer.from(field))
    },
    takeFloors(fields) {
      exchange.take(fields.list(() => fields.sealed()))
      return []
    },
  } satisfies KeeperHandlers
}

function headsIn(text: string): FloorHeads {
  const heads = parsed(text)
  const named = typeof heads === 'object' && heads !== null ? Object.entries(heads) : undefined
  if (named === undefined || named.length > mostMachines || !named.every(isHead))
    throw new Fault('hsm.rejected', 'The batch numbers in this request are malformed.')
  return Object.fromEntries(named)
}

const isHead = (head: readonly [string, unknown]): head is [string, number] =>
  machineForm.test(head[0]) && Number.isSafeInteger(head[1])

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
