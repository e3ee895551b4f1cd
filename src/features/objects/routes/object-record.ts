import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { Fault } from '../../../fault.ts'
import { idSegment, idText, lineOfText, message, numberText } from '../../../http/contract/shared-fields.ts'
import type { Reply } from '../../../http/contract/envelope.ts'
import { utcText } from '../../../clock.ts'
import { templateRecord, recordSchema } from '../../templates/template-json.ts'
import type { Template } from '../../templates/template.ts'
import { extensionOf, maxNameLength } from '../content.ts'
import type { ObjectReading } from '../reading.ts'
import type { AdmitLongList } from '../bounded-list.ts'
import type { Ancestor, FileInfo, StoredObject } from '../read-records.ts'
import { statusBits } from '../records.ts'
import type { Templates } from '../../templates/templates.ts'

type Members = Readonly<Record<string, unknown>>

/** Values of fields by their names. */
export const fieldTexts = z.record(z.string(), z.string().describe('Value of the field.'))

/** Set in lists only. */
export const abridged = z
  .literal(true)
  .describe(
    'Present if the list is too long with `public`, or another call changed this object while the list was made: then `public` is empty, and has to be read with the object by itself.',
  )

/** `objectRecord`, for the documentation. */
export const objectSchema = z
  .object({
    id: idText('Id of the object.'),
    parentid: idText('Id of the object in which it lies, 0 in the root of the vault.'),
    templateid: idText('Id of its template.'),
    groupid: idText('Id of its vault.'),
    status: numberText(
      'A bitmap: 32 decrypting raises an alarm, 128 always, 1024 a value breaks the policy of the vault.',
    ),
    objectname: z.string().describe('Its name.'),
    filename: z.string().describe('Name of its file; empty for what is not a file.'),
    children: numberText('How many objects lie in it, as text.'),
    version: numberText('Grows with each change of the object, as text: `ifVersion` of an edit names it.'),
    notes: z.union([z.literal(false), z.string()]).describe('Always false; published clients read it.'),
    tags: z.string().describe('Always empty; published clients read it.'),
    alarmed: z
      .union([z.literal(false), z.string()])
      .describe('A sentence where decrypting the object raises an alarm, else false.'),
    public: fieldTexts.describe('The fields of its template that are not encrypted, by name.'),
    abridged: abridged.optional(),
    crypted: fieldTexts
      .describe('The encrypted fields in the open, by name: where the call asked for them with `decrypt`.')
      .optional(),
    fileinfo: z
      .object({
        objectid: idText('Id of the object.'),
        name: z.string().describe('Name of the file.'),
        size: numberText('Its length in bytes, as text.'),
        type: z.string().describe('Its media type.'),
        filepath: z.string().describe('Always empty; published clients read it.'),
        created: z.string().describe('When it was uploaded: UTC, as `YYYY-MM-DD hh:mm:ss`.'),
        ext: z.string().describe('Extension of its name, without the dot.'),
        iconpath: z.string().describe('Always empty; published clients read it.'),
      })
      .describe('Its file; absent for what is not a file.')
      .optional(),
  })
  .meta({ id: 'Object', description: 'A secret or file in a vault, or a folder.' })

type WrittenObject = StoredObject & { readonly isAbridged?: boolean }

/** An object as answers write it, with `crypted` where its secrets were asked for. */
export function objectRecord(object: WrittenObject, crypted?: Readonly<Record<string, string>>): Members {
  return {
    id: String(object.id),
    parentid: String(object.parentId),
    templateid: String(object.templateId),
    groupid: String(object.vaultId),
    status: String(object.status),
    objectname: object.name,
    filename: object.file?.name ?? '',
    children: String(object.children),
    version: String(object.version),
    notes: false,
    tags: '',
    alarmed: (object.status & statusBits.alarm) === 0 ? false : 'Decrypting this object raises an alarm.',
    public: object.fields,
    ...(object.isAbridged === true && { abridged: true }),
    ...(crypted && { crypted }),
    // Left out for objects without a file: one published client takes any value for a file.
    ...(object.file && { fileinfo: fileRecord(object.id, object.file) }),
  }
}

/** A parent as BREADCRUMB lists it. */
export function crumbOf(object: Ancestor, template: Template | undefined): Members {
  return { objectid: String(object.id), objectname: object.name, icon: template?.icon ?? '' }
}

/** Objects, with the templates that they use. */
export function recordsOf(
  objects: readonly WrittenObject[],
  templates: readonly Template[],
): { readonly objects: Members[]; readonly templates: Members[] } {
  const used = new Set(objects.map(({ templateId }) => templateId))
  return {
    objects: objects.map((object) => objectRecord(object)),
    templates: templates.filter(({ id }) => used.has(id)).map(templateRecord),
  }
}

/** The members of an answer that lists objects. */
export async function objectMembers(objects: readonly WrittenObject[], templates: Templates) {
  const written = recordsOf(objects, await templates.among(objects.map(({ templateId }) => templateId)))
  return { OBJECT: written.objects, TEMPLATES: written.templates }
}

function fileRecord(objectId: number, { name, size, type, uploadedAt }: FileInfo): Members {
  return {
    objectid: String(objectId),
    name,
    size: String(size),
    type,
    // The place of a file and its thumbnail mean nothing outside the appliance, but the members belong to the
    // interface.
    filepath: '',
    created: utcText(uploadedAt),
    ext: extensionOf(name),
    iconpath: '',
  }
}

export const savedSchema = z.object({ objectid: idText('Id of the object.'), message })

/** For an object that was moved or copied with all below it. */
export const relocatedSchema = savedSchema.extend({
  objects: numberText('How many objects went, with those that lie in it.'),
})

export const templatesOfObjects = z.array(recordSchema).describe('The templates that occur among the objects.')

/** The reply for a saved object. It warns of values that break the vault's policy; they are saved all the same. */
export function savedReply({ id, weakFields }: StoredObject): Reply {
  return {
    callinfo: { objectid: String(id), message: 'Object successfully saved' },
    general: weakFields.length > 0 ? ['BAD_POLICY'] : [],
  }
}

/** The contents of a vault for `GET /vault/:vaultid`: its objects, with the templates that they use. */
export const vaultContents = (reading: ObjectReading, templates: Templates) => ({
  shape: {
    OBJECTS: z.array(objectSchema).describe('What lies in the vault, at every depth, without encrypted fields.'),
    TEMPLATES: templatesOfObjects,
  },
  async read(vaultId: number, admitLongList: AdmitLongList) {
    const objects = await reading.ofVault(vaultId, admitLongList)
    const { OBJECT, TEMPLATES } = await objectMembers(objects, templates)
    return { OBJECTS: OBJECT, TEMPLATES }
  },
})

export const objectParams = z.object({ objectid: idSegment('Id of the object.') })

/** @throws Fault `object.not_found` */
export function idOfObject(objectid: string): number {
  const id = decimalId(objectid)
  if (id === undefined) throw new Fault('object.not_found')
  return id
}

const aVersion = 'must be a version: a whole number'
const anId = 'must be an id: a whole number'

/** Published clients send ids as numbers or as texts. */
export const objectId = z
  .union([z.int().min(0).max(999_999_999_999_999), z.string().regex(/^(0|[1-9]\d{0,14})$/, anId)], anId)
  .transform(Number)

/** No field of a template can be called `ifVersion`, since their names are in lower case. */
export const objectVersion = z
  .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,14}$/, aVersion)], aVersion)
  .transform(Number)

/** An empty name counts as missing: the appliance derives one. */
export const objectName = lineOfText
  .max(maxNameLength, `must have ${maxNameLength} characters at most`)
  .transform((name) => name || undefined)

/** A flag in a query. */
export const queryFlag = (what: string) =>
  z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(what)
