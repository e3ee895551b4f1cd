import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { templateIds } from '../../templates/template.ts'
import type { Templates } from '../../templates/templates.ts'
import { Fault } from '../../../fault.ts'
import type { Objects } from '../object.ts'
import type { ObjectReading } from '../reading.ts'
import { objectId, objectName, savedReply, savedSchema } from './object-record.ts'

/** In addition, one member per field of the template. */
const body = z
  .looseObject({
    groupid: objectId.describe('Id of the vault. In a form it stands before the file.'),
    templateid: objectId.describe('Id of the template: required, but for a file, which template 3 takes.').optional(),
    parentid: objectId.describe('Id of the object in which it is to lie, 0 for the root of the vault.').default(0),
    // As for fields: clients that copy a table send null for an empty value.
    objectname: objectName.nullish().describe('Name of the object. When absent or empty it is made of the fields.'),
  })
  .describe('Beside these, one member for each field of the template: its value as text.')

/** `POST /object`: creates an object, from JSON or, with a file, from a form. */
export const createObject = (objects: Objects, reading: ObjectReading, templates: Templates) =>
  endpoint({
    operation: 'object.create',
    handler: 'ObjectHandler',
    method: 'POST',
    path: '/object',
    summary: 'Create an object',
    details:
      'As JSON or, with a file, as a form. A value that breaks the password policy of the vault is saved all the same, and `CALLINFO.general` holds `BAD_POLICY`.',
    access: { kind: 'vault', permission: 'Write', member: 'groupid' },
    faults: ['template.not_found', 'object.invalid', 'object.parent_unknown', 'object.key_exhausted', 'object.busy'],
    upload: 'optional',
    storesNumbers: true,
    unechoed: () => templates.secretNames(),
    reply: { callinfo: savedSchema },
    body,
    async run({ body: { templateid, parentid, objectname, ...members }, file, vault, caller, commit, note }) {
      const templateId = templateid ?? (file ? templateIds.file : undefined)
      if (templateId === undefined) throw new Fault('request.invalid', 'templateid is missing.')
      const object = await objects.create(
        {
          vault: await reading.vault(vault),
          parentId: parentid,
          template: await templates.find(templateId),
        },
        { name: objectname ?? undefined, members, file },
        { userId: caller.userId, commit, created: (id, rows) => note({ target: `object ${id}`, rows }) },
      )
      return savedReply(object)
    },
  })
