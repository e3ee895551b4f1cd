import { z } from 'zod'
import { utcText } from '../../../clock.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { idText, numberText } from '../../../http/contract/shared-fields.ts'
import type { Templates } from '../../templates/templates.ts'
import { templateRecord } from '../../templates/template-json.ts'
import { vaultParams } from '../../vaults/routes/vault-record.ts'
import type { Trash } from '../trash.ts'
import type { TrashedObject } from '../trash-records.ts'
import { templatesOfObjects } from './object-record.ts'

const trashedSchema = z
  .object({
    objectid: idText('Id of the object.'),
    templateid: idText('Id of its template.'),
    objectname: z.string().describe('Its name.'),
    objects: numberText('How many objects were deleted with it, itself among them.'),
    deleted: z.string().describe('When it was deleted: UTC, as `YYYY-MM-DD hh:mm:ss`.'),
    deletedby: z.string().describe('Who deleted it.'),
    destroyed: z
      .string()
      .describe('When it is destroyed, unless it is taken back before: UTC, as `YYYY-MM-DD hh:mm:ss`.'),
  })
  .meta({ id: 'TrashedObject', description: 'A deleted object, with what was deleted with it.' })

/** `GET /vault/:vaultid/trash`: the objects that can be restored. */
export const listTrash = (trash: Trash, templates: Templates) =>
  endpoint({
    operation: 'object.trash',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/vault/:vaultid/trash',
    summary: 'List the deleted objects of a vault',
    details:
      'The newest first, 1,000 at most. They can be taken back until the time that each names (the setting `objects.recoveryWindowMs`).',
    access: { kind: 'vault', permission: 'Write' },
    reply: {
      members: z.object({
        TRASH: z.array(trashedSchema).describe('The deleted objects.'),
        TEMPLATES: templatesOfObjects,
      }),
    },
    params: vaultParams,
    async run({ vault }) {
      const listed = await trash.list(vault.id)
      const used = await templates.among(listed.map(({ templateId }) => templateId))
      return { members: { TRASH: listed.map((one) => trashedRecord(one, trash)), TEMPLATES: used.map(templateRecord) } }
    },
  })

function trashedRecord({ id, templateId, name, objects, deletedAt, deletedBy }: TrashedObject, trash: Trash) {
  return {
    objectid: String(id),
    templateid: String(templateId),
    objectname: name,
    objects: String(objects),
    deleted: utcText(deletedAt),
    deletedby: deletedBy,
    destroyed: utcText(trash.destroyedAt(deletedAt)),
  }
}
