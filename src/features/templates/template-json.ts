import { z } from 'zod'
import { fieldTypes, type Field, type Template } from './template.ts'

type Members = Readonly<Record<string, unknown>>

const templateId = z.string().regex(/^\d+$/).describe('Id of the template. Decimal digits.')
const set = (what: string) => z.literal(true).describe(`${what} Absent when not.`).optional()

const infoSchema = z
  .object({
    id: templateId,
    name: z.string().describe('Its name.'),
    ico: z.string().describe('Name of its icon, which published clients can draw.'),
    active: z.boolean().describe('Whether new objects may be made of it.'),
    wb: z.boolean().describe('Whether its objects can be edited in the workbench of clients.'),
    ed: set('Its objects are edited at once, and have nothing below them.'),
    jp: set('After saving, clients show the parent of the object.'),
    hid: set('Clients do not offer it.'),
    file: z.string().describe('Its objects hold a file: `*` any, else extensions with commas between.').optional(),
  })
  .meta({ id: 'TemplateInfo', description: 'What a template is.' })

const attributesSchema = z
  .object({
    translation: z.string().describe('Label of the field, for people.'),
    type: z
      .enum(fieldTypes)
      .describe('How clients show the field; one that does not know the type shows a line of text.'),
    encrypted: z.boolean().describe('Whether its value is encrypted, and shown only where `decrypt` asks for it.'),
    show: z.boolean().describe('Whether it is part of the normal view, or only of the workbench.'),
    policy: z.boolean().describe('Whether its value should keep the password policy of the vault.'),
    alarm: z.boolean().describe('Whether decrypting it can raise an alarm.'),
    opt: z.boolean().describe('Whether it may be empty or missing.'),
    cc: z.boolean().describe('Whether clients mark a change until a user has seen it.'),
    nc: z.boolean().describe('Whether clients show its value only on a click.'),
    log: set('Its value may be logged.'),
    options: z.array(z.string().describe('A value.')).describe('Values that a dropdown offers.').optional(),
    options_default: z.string().describe('The value that is selected at first.').optional(),
    placeholder: z.string().describe('What an empty field shows.').optional(),
  })
  .meta({ id: 'TemplateField', description: 'A field of a template.' })

/** `templateEntry`, for the documentation. */
export const entrySchema = z
  .object({
    INFO: infoSchema,
    STRUCTURE: z.record(z.string(), attributesSchema).describe('Its fields by name, in the order of the form.'),
  })
  .meta({ id: 'TemplateEntry', description: 'A template, with its fields by name.' })

/** `templateRecord`, for the documentation. */
export const recordSchema = z
  .object({
    id: templateId,
    info: infoSchema,
    structure: z
      .array(
        attributesSchema
          .extend({
            fieldname: z.string().describe('Name of the field: the member of an object that holds its value.'),
          })
          .meta({ id: 'NamedTemplateField', description: 'A field of a template, with its name.' }),
      )
      .describe('Its fields, in the order of the form.'),
  })
  .meta({ id: 'Template', description: 'A template, with its fields as a list.' })

/** `filledStructure`, for the documentation. */
export const filledSchema = z
  .record(
    z.string(),
    attributesSchema
      .extend({
        val: z.string().describe('What the file says for this field; empty where it says nothing.'),
        alarmed: z.string().describe('Always empty; published clients read it.'),
        ischanged: z.boolean().describe('Always false; published clients read it.'),
      })
      .meta({ id: 'FilledTemplateField', description: 'A field of a template, with a value.' }),
  )
  .describe('The template that the file belongs to, its fields by name and filled in.')

/** A template as `/template` writes it (spec: Template structure): fields by name, in the order of the form. */
export function templateEntry(template: Template): { readonly INFO: Members; readonly STRUCTURE: Members } {
  return { INFO: infoOf(template), STRUCTURE: structureOf(template, attributesOf) }
}

/** A template as all other answers write it, in `TEMPLATES` (spec: Versioning): the same, with the fields as a list. */
export function templateRecord(template: Template): Members {
  const structure = template.fields.map((field) => Object.assign(attributesOf(field), { fieldname: field.name }))
  return { id: String(template.id), info: infoOf(template), structure }
}

/** A filled-in template, as `/filecollect` writes it. */
export function filledStructure(template: Template, values: Readonly<Record<string, string>>): Members {
  return structureOf(template, (field) => ({
    ...attributesOf(field),
    val: values[field.name] ?? '',
    alarmed: '',
    ischanged: false,
  }))
}

const structureOf = ({ fields }: Template, write: (field: Field) => Members): Members =>
  Object.fromEntries(fields.map((field) => [field.name, write(field)]))

/** The members that every template has, and those optional ones that are set. */
function infoOf(template: Template): Members {
  return {
    id: String(template.id),
    name: template.name,
    ico: template.icon,
    active: template.active,
    wb: template.workbench,
    ...(template.editedDirectly && { ed: true }),
    ...(template.jumpsToParent && { jp: true }),
    ...(template.hidden && { hid: true }),
    ...(template.file !== undefined && { file: template.file }),
  }
}

function attributesOf(field: Field): Members {
  return {
    translation: field.label,
    type: field.type,
    encrypted: field.encrypted,
    show: field.shown,
    policy: field.followsPolicy,
    alarm: field.canAlarm,
    opt: field.optional,
    cc: field.marksChanges,
    nc: field.needsClick,
    ...(field.logged && { log: true }),
    ...(field.options && { options: field.options }),
    ...(field.defaultOption !== undefined && { options_default: field.defaultOption }),
    ...(field.placeholder !== undefined && { placeholder: field.placeholder }),
  }
}
