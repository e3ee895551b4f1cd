import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { type FloorHeads, machineForm } from '../floor-news.ts'
import { listLimits } from '../protocol/fields.ts'
import type { FloorExchange } from './floor-exchange.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'

const mostMachines = 1_024
/** The newest batches in the database, by machine. */
const headsForm = z
  .record(z.string().regex(machineForm), z.int())
  .refine((heads) => Object.keys(heads).length <= mostMachines)

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
      exchange.take(fields.list(() => fields.sealed(), listLimits.takeFloors))
      return []
    },
  } satisfies KeeperHandlers
}

function headsIn(text: string): FloorHeads {
  try {
    return headsForm.parse(JSON.parse(text))
  } catch {
    throw new Fault('hsm.rejected', 'The batch numbers in this request are malformed.')
  }
}
