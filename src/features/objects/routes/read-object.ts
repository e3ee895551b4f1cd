import { z } from 'zod'
import { base64, idText } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Template } from '../../templates/template.ts'
import type { Templates } from '../../templates/templates.ts'
import { grantedTo, objectQuery, type GrantedObject } from '../read-records.ts'
import type { ObjectReading } from '../reading.ts'
import { decryptionRecord, type RecordDecryption } from '../decryption-record.ts'
import {
  crumbOf,
  objectParams,
  objectRecord,
  objectSchema,
  queryFlag,
  recordsOf,
  templatesOfObjects,
} from './object-record.ts'

const body = z.object({
  decrypt: queryFlag('Whether to decrypt its encrypted fields, into `crypted`. Not together with `children`.'),
  children: queryFlag('Whether to list what lies in it, behind it.'),
  filedata: queryFlag('Whether to decrypt its file, into `FILEDATA`.'),
})

const readSchema = z.object({
  OBJECT: z.array(objectSchema).min(1).describe('The object, then what lies in it.'),
  TEMPLATES: templatesOfObjects,
  BREADCRUMB: z
    .array(
      z.object({
        objectid: idText('Id of the parent.'),
        objectname: z.string().describe('Its name.'),
        icon: z.string().describe('Name of the icon of its template.'),
      }),
    )
    .describe('Its parents, from the root of the vault down; empty in the root.'),
  FILEDATA: base64('Content of its file, where the call asked for it with `filedata`.').optional(),
})

/** `GET /object/:objectid`: an object, on request with its secrets, its children or its file. */
export const readObject = (reading: ObjectReading, templates: Templates) =>
  endpoint({
    operation: 'object.read',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/object/:objectid',
    summary: 'Read an object',
    details: 'Each field that is decrypted gets a record in the audit trail.',
    access: { kind: 'vault', permission: 'Read', resource: objectQuery },
    scopedUse: ({ decrypt, filedata, children }) => [
      'object.read',
      ...([decrypt, filedata].includes('true') ? (['object.decrypt'] as const) : []),
      ...(children === 'true' ? (['object.list'] as const) : []),
    ],
    faults: ['request.quota', 'object.tampered', 'object.no_file', 'object.busy'],
    reply: { members: readSchema },
    params: objectParams,
    body,
    async run({ body: { decrypt, children, filedata }, caller, vault, resource, record, admit }) {
      if (decrypt && children) throw new Fault('request.invalid', 'decrypt and children exclude each other.')
      const found = grantedTo(vault, resource)
      const { object } = found
      const [parents, below] = [
        await reading.ancestors(object),
        children ? await reading.children(object, () => admit('longLists')) : [],
      ]
      const known = await templates.among([object, ...parents, ...below].map(({ templateId }) => templateId))
      const template = known.find(({ id }) => id === object.templateId)
      const crypted = decrypt ? await decryptedFields(reading, found, template, record) : undefined
      const { pieces, release } = filedata ? await decryptedFile(reading, found, caller.userId, record) : {}
      const written = recordsOf([object, ...below], known)
      return {
        members: {
          OBJECT: [objectRecord(object, crypted), ...written.objects.slice(1)],
          TEMPLATES: written.templates,
          BREADCRUMB: parents.map((parent) =>
            crumbOf(
              parent,
              known.find(({ id }) => id === parent.templateId),
            ),
          ),
        },
        ...(pieces && { longText: { member: 'FILEDATA', pieces } }),
        ...(release && { afterSend: release }),
      }
    },
  })

/** Decrypts all encrypted fields and writes an audit record for each. */
async function decryptedFields(
  reading: ObjectReading,
  found: GrantedObject,
  template: Template | undefined,
  record: RecordDecryption,
): Promise<{ [field: string]: string }> {
  const fields = (template?.fields ?? []).filter(({ encrypted, type }) => encrypted && type !== 'file')
  const secrets = await reading.secrets(found)
  const alarming = new Set(fields.filter(({ canAlarm }) => canAlarm).map(({ name }) => name))
  await Promise.all(
    Object.keys(secrets).map((field) => record(decryptionRecord(found.object, field, alarming.has(field)))),
  )
  return { ...Object.fromEntries(fields.map(({ name }) => [name, ''])), ...secrets }
}

async function decryptedFile(reading: ObjectReading, found: GrantedObject, userId: number, record: RecordDecryption) {
  const file = await reading.file(found, userId)
  try {
    await record(decryptionRecord(found.object, 'its file', true))
    return file
  } catch (error) {
    file.release()
    throw error
  }
}
