import { z } from 'zod'
import { utcText } from '../../../clock.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { numberText } from '../../../http/contract/shared-fields.ts'
import type { Template } from '../../templates/template.ts'
import type { Templates } from '../../templates/templates.ts'
import type { PastValues } from '../earlier-versions.ts'
import { existing, objectQuery } from '../read-records.ts'
import type { ObjectReading } from '../reading.ts'
import { abridged, fieldTexts, objectParams } from './object-record.ts'

export const earlierSchema = z
  .object({
    version: numberText('Version of the object that had these values until then, as text.'),
    objectname: z.string().describe('Its name then.'),
    replaced: z.string().describe('When an edit replaced it: UTC, as `YYYY-MM-DD hh:mm:ss`.'),
    replacedby: z.string().describe('Who replaced it.'),
    public: fieldTexts.describe('The fields that were not encrypted, by name.'),
    abridged: abridged.optional(),
    crypted: fieldTexts
      .describe(
        'The encrypted fields that had a value, in the open, by name: where the call asked for them with `decrypt`.',
      )
      .optional(),
  })
  .meta({ id: 'EarlierVersion', description: 'What an object was before an edit.' })

/**
 * @param template the present template of the object: a field that it encrypts is not shown, even if it was unencrypted
 * then
 */
export function earlierRecord(
  { version, name, replacedAt, replacedBy, fields, isAbridged }: PastValues & { readonly isAbridged?: boolean },
  template: Pick<Template, 'fields'>,
  crypted?: Readonly<Record<string, string>>,
) {
  const secret = new Set(template.fields.filter(({ encrypted }) => encrypted).map((field) => field.name))
  return {
    version: String(version),
    objectname: name,
    replaced: utcText(replacedAt),
    replacedby: replacedBy,
    public: Object.fromEntries(Object.entries(fields).filter(([field]) => !secret.has(field))),
    ...(isAbridged === true && { abridged: true }),
    ...(crypted && { crypted }),
  }
}

/** `GET /object/:objectid/history`: the earlier versions of an object. */
export const listHistory = (reading: ObjectReading, templates: Templates) =>
  endpoint({
    operation: 'object.history',
    handler: 'ObjectHandler',
    method: 'GET',
    path: '/object/:objectid/history',
    summary: 'List the earlier versions of an object',
    details:
      'The newest first, without encrypted fields. An edit keeps what it replaces; the vault says how many such versions are kept (`history`).',
    access: { kind: 'vault', permission: 'Read', resource: objectQuery },
    scopedUse: 'object.read',
    faults: ['request.quota'],
    reply: { members: z.object({ HISTORY: z.array(earlierSchema).describe('The earlier versions.') }) },
    params: objectParams,
    async run({ resource, admit }) {
      const found = existing(resource)
      const template = await templates.find(found.object.templateId)
      const versions = await reading.history(found, () => admit('longLists'))
      return { members: { HISTORY: versions.map((version) => earlierRecord(version, template)) } }
    },
  })
