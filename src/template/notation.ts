import type { Field, Template } from './template.ts'

type Members = Readonly<Record<string, unknown>>

/** A template as `/template` writes it (spec: Template structure): fields by name, in the order of the form. */
export function templateEntry(template: Template): { readonly INFO: Members; readonly STRUCTURE: Members } {
  return { INFO: infoOf(template), STRUCTURE: structureOf(template, attributesOf) }
}

/** A template as every other answer writes it, in `TEMPLATES` (spec: Versioning): the same with the fields as a list. */
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
