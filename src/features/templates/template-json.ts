import { z } from 'zod'
import { fieldTypes, type Field, type Template } from './template.ts'

type Members = Readonly<Record<string, unknown>>

const set = z.literal(true).optional()

const infoSchema = z.object({
  id: z.string(),
  name: z.string(),
  ico: z.string(),
  active: z.boolean(),
  wb: z.boolean(),
  ed: set,
  jp: set,
  hid: set,
  file: z.string().optional(),
})

const attributesSchema = z.object({
  translation: z.string(),
  type: z.enum(fieldTypes),
  encrypted: z.boolean(),
  show: z.boolean(),
  policy: z.boolean(),
  alarm: z.boolean(),
  opt: z.boolean(),
  cc: z.boolean(),
  nc: z.boolean(),
  log: set,
  options: z.array(z.string()).optional(),
  options_default: z.string().optional(),
  placeholder: z.string().optional(),
})

/** `templateEntry`, for the documentation. */
export const entrySchema = z.object({ INFO: infoSchema, STRUCTURE: z.record(z.string(), attributesSchema) })

/** `templateRecord`, for the documentation. */
export const recordSchema = z.object({
  id: z.string(),
  info: infoSchema,
  structure: z.array(attributesSchema.extend({ fieldname: z.string() })),
})

/** `filledStructure`, for the documentation. */
export const filledSchema = z.record(
  z.string(),
  attributesSchema.extend({ val: z.string(), alarmed: z.string(), ischanged: z.boolean() }),
)

/** A template as `/template` writes it (spec: Template structure): fields by name, in the order of the form. */
export function templateEntry(template: Template): { readonly INFO: Members; readonly STRUCTURE: Members } {
  return { INFO: infoOf(template), STRUCTURE: structureOf(template, attributesOf) }
}

/**
 * A template as every other answer writes it, in `TEMPLATES` (spec: Versioning): the same with the fields as a list.
 */
export function templateRecord(template: Template): Members {
  const structure = template.fields.map((field) => ({ ...attributesOf(field), fieldname: field.name }))
  return { id: String(template.id), info: infoOf(template), structure }
}

/** A form that is filled in, as `/filecollect` writes it. */
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

/** The members that every template has, and of the others those that say something. */
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
