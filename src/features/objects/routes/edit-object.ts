import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Templates } from '../../templates/templates.ts'
import type { Objects } from '../object.ts'
import { grantedTo, objectQuery, type StoredObject } from '../read-records.ts'
import { objectId, objectName, objectParams, objectVersion, savedReply, savedSchema } from './object-record.ts'

/** In addition, any fields of the template. */
const body = z
  .looseObject({
    groupid: objectId.describe('Id of the vault of the object, which cannot be changed.').optional(),
    templateid: objectId.describe('Id of the template of the object, which cannot be changed.').optional(),
    parentid: objectId.describe('Id of the object in which it lies, which cannot be changed.').optional(),
    objectname: objectName.describe('New name of the object.').optional(),
    ifVersion: objectVersion
      .describe('`version` of the object as it was read: it is changed only while it still is of this one.')
      .optional(),
  })
  .describe('Beside these, any fields of the template: their new values as text.')

/** `PUT /object/:objectid`: changes the fields that are sent. */
export const editObject = (objects: Objects, templates: Templates) =>
  endpoint({
    operation: 'object.edit',
    handler: 'ObjectHandler',
    method: 'PUT',
    path: '/object/:objectid',
    summary: 'Edit an object',
    details:
      'It changes what is given and keeps the rest. As JSON or, with another file, as a form. With `ifVersion` it changes nothing where another call has changed the object since it was read.',
    access: { kind: 'vault', permission: 'Write', resource: objectQuery },
    faults: ['template.not_found', 'object.invalid', 'object.changed', 'object.tampered', 'object.key_exhausted'],
    upload: 'optional',
    storesNumbers: true,
    unechoed: () => templates.secretNames(),
    reply: { callinfo: savedSchema },
    params: objectParams,
    body,
    async run({ body: { objectname, ifVersion, ...members }, file, vault, resource, caller, commit }) {
      const found = grantedTo(vault, resource)
      checkStays(found.object, members)
      const input = { name: objectname, members, file, ifVersion }
      const template = await templates.find(found.object.templateId)
      return savedReply(await objects.edit(found, template, input, { userId: caller.userId, commit }))
    },
  })

/** Clients send records back as they have read them: the unchangeable members are accepted if they are unchanged. */
function checkStays(object: StoredObject, given: z.output<typeof body>): void {
  const { groupid = object.vaultId, parentid = object.parentId, templateid = object.templateId } = given
  if (groupid !== object.vaultId || parentid !== object.parentId || templateid !== object.templateId)
    throw new Fault(
      'object.invalid',
      'An edit leaves groupid, parentid and templateid as they are: POST /object/:objectid/move moves the object.',
    )
}
