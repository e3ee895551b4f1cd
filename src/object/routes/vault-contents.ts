import type { Templates } from '../../template/templates.ts'
import type { ObjectReading } from '../reading.ts'
import { recordsOf } from './object-record.ts'

/** What lies in a vault, as `GET /vault/:vaultid` writes it. */
export const vaultContents = (reading: ObjectReading, templates: Templates) => async (vaultId: number) => {
  const objects = await reading.ofVault(vaultId)
  return recordsOf(objects, await templates.among(objects.map(({ templateId }) => templateId)))
}
