import { z } from 'zod'
import { recordSchema } from '../../templates/template-json.ts'
import type { Templates } from '../../templates/templates.ts'
import type { ObjectReading } from '../reading.ts'
import { objectSchema, recordsOf } from './object-record.ts'

/** What lies in a vault, as `GET /vault/:vaultid` writes it: its objects, and the templates that occur among them. */
export const vaultContents = (reading: ObjectReading, templates: Templates) => ({
  shape: { OBJECTS: z.array(objectSchema), TEMPLATES: z.array(recordSchema) },
  async read(vaultId: number) {
    const objects = await reading.ofVault(vaultId)
    const written = recordsOf(objects, await templates.among(objects.map(({ templateId }) => templateId)))
    return { OBJECTS: written.objects, TEMPLATES: written.templates }
  },
})
