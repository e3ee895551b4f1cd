import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { idSegment } from '../../../http/contract/shared-fields.ts'
import type { Template } from '../../templates/template.ts'
import type { Templates } from '../../templates/templates.ts'
import { decryptionRecord, type RecordDecryption } from '../decryption-record.ts'
import { grantedTo, objectQuery, type GrantedObject } from '../read-records.ts'
import type { ObjectReading } from '../reading.ts'
import { earlierRecord, earlierSchema } from './list-history.ts'
import { objectParams, queryFlag } from './object-record.ts'

/** `GET /object/:objectid/history/:version`: one earlier version, with its secrets where the call asks for them. */
export const readEarlierVersion = (reading: ObjectReading, templates: Templates) =>
  endpoint({
    operation: 'object.history.read',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/object/:objectid/history/:version',
    summary: 'Read an earlier version of an object',
    details:
      'Each field that is decrypted gets a record in the audit trail. To have the values again, edit the object with them.',
    access: { kind: 'vault', permission: 'Read', resource: objectQuery },
    scopedUse: ({ decrypt }) => ['object.read', ...(decrypt === 'true' ? (['object.decrypt'] as const) : [])],
    faults: ['object.tampered'],
    reply: {
      members: z.object({ HISTORY: z.array(earlierSchema).min(1).max(1).describe('The version, as the list has it.') }),
    },
    params: objectParams.extend({
      version: idSegment('Version of the object, as its history lists it.').transform(decimalId),
    }),
    body: z.object({ decrypt: queryFlag('Whether to decrypt its encrypted fields, into `crypted`.') }),
    async run({ params: { version }, body: { decrypt }, vault, resource, record }) {
      const found = grantedTo(vault, resource)
      const template = await templates.find(found.object.templateId)
      const earlier = await reading.earlier(found, version)
      const crypted = decrypt ? await decryptedThen(reading, template, found, earlier.version, record) : undefined
      return { members: { HISTORY: [earlierRecord(earlier, template, crypted)] } }
    },
  })

/**
 * Decrypting an earlier secret is recorded and raises the alarm like decrypting the present one, since it may be as
 * valuable.
 */
async function decryptedThen(
  reading: ObjectReading,
  { fields }: Template,
  found: GrantedObject,
  version: number,
  record: RecordDecryption,
): Promise<Readonly<Record<string, string>>> {
  const secrets = await reading.earlierSecrets(found, version)
  await Promise.all(
    Object.keys(secrets).map((field) => {
      const canAlarm = fields.find(({ name }) => name === field)?.canAlarm === true
      return record(decryptionRecord(found.object, `${field} of version ${version}`, canAlarm))
    }),
  )
  return secrets
}
