import { z } from 'zod'
import { fieldTypes, lastBuiltInId, type Field, type Template } from './template.ts'

/** The result of reading a template file: a template, or all of its problems with their places. */
export type Examined = { readonly template: Template } | { readonly problems: readonly string[] }

/** Members that objects and calls use themselves. */
const reservedNames = new Set(
  `id parentid templateid groupid vaultid objectid objectname status filename children notes tags alarmed public crypted
   fileinfo filedata decrypt token apikey file`.split(/\s+/),
)

const text = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must have ${most} characters at most`)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
const flag = z.boolean().default(false)

const fieldShape = z.strictObject({
  translation: text(64),
  type: z.enum(fieldTypes),
  encrypted: flag,
  show: z.boolean().default(true),
  policy: flag,
  alarm: flag,
  opt: flag,
  cc: flag,
  nc: flag,
  log: flag,
  options: z.array(text(128)).min(1, 'must not be empty').max(500, 'must have 500 entries at most').optional(),
  options_default: text(128).optional(),
  placeholder: text(128).optional(),
})

type FieldShape = z.infer<typeof fieldShape>

const icons = ['server', 'folder', 'file', 'note', 'quicknote', 'pin', 'ccard', 'certfolder', 'person'] as const

const infoShape = z.strictObject({
  id: z
    .union([z.number(), z.string().regex(/^[1-9]\d{0,8}$/, 'must be a whole number')], 'must be a whole number')
    .transform(Number)
    .refine((id) => Number.isInteger(id) && id > lastBuiltInId && id < 1_000_000_000, {
      error: `must be a whole number from ${lastBuiltInId + 1} to 999999999: the others are the appliance's`,
    }),
  name: text(64),
  ico: z.enum(icons.map((icon) => `ico_${icon}` as const)),
  active: z.boolean().default(true),
  wb: z.boolean().default(true),
  ed: flag,
  jp: flag,
  hid: flag,
  file: z
    .string()
    .regex(/^(\*|[a-z0-9]{1,25}(,[a-z0-9]{1,25}){0,99})$/, 'must be * or extensions like crt,pem')
    .optional(),
})

const documentShape = z
  .strictObject({ INFO: infoShape, STRUCTURE: z.record(z.string(), fieldShape) })
  .superRefine(({ INFO, STRUCTURE }, context) => {
    const report = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message })
    const fields = Object.entries(STRUCTURE)
    if (fields.length === 0 || fields.length > 100) report(['STRUCTURE'], 'must have 1 to 100 fields')
    for (const [name, field] of fields)
      for (const problem of problemsOf(name, field)) report(['STRUCTURE', name], problem)
    if ((INFO.file === undefined) !== (STRUCTURE['file1'] === undefined))
      report(['INFO', 'file'], 'and a field file1 of the type file go together')
  })

/** Problems that the schema alone does not find. */
function problemsOf(name: string, field: FieldShape): string[] {
  const isDropdown = field.type === 'dropdown'
  const rules: readonly (readonly [broken: boolean, problem: string])[] = [
    [!/^[a-z][a-z0-9_]{0,63}$/.test(name), 'must be called by lower-case letters, digits and _, a letter first'],
    [reservedNames.has(name) || name in {}, 'has a name that objects use themselves: choose another'],
    [(field.type === 'file') !== (name === 'file1'), 'must be called file1 if it is a file, and only then'],
    [field.type === 'file' && field.encrypted, 'names a file, and is not encrypted: the file itself always is'],
    [field.type === 'text-passwdgen' && !field.encrypted, 'is a password and must be encrypted'],
    [field.policy && !field.encrypted, 'has policy, which only encrypted fields have'],
    [field.alarm && !field.encrypted, 'has alarm, which only encrypted fields have'],
    [field.log && field.encrypted, 'is encrypted, and must not be logged'],
    [isDropdown !== (field.options !== undefined), 'must have options if it is a dropdown, and only then'],
    [
      field.options_default !== undefined && field.options?.includes(field.options_default) !== true,
      'must have its options_default among its options',
    ],
  ]
  return rules.flatMap(([broken, problem]) => (broken ? [problem] : []))
}

/** Checks a template in the notation of `/template`: INFO and STRUCTURE, fields in the order of the form. */
export function examineTemplate(document: unknown): Examined {
  const { success, data, error } = documentShape.safeParse(document)
  if (!success) return { problems: error.issues.map(describe) }
  const { id, name, ico: icon, active, wb: workbench, ed, jp, hid, file } = data.INFO
  const template: Template = {
    id,
    name,
    icon,
    active,
    workbench,
    ...(ed && { editedDirectly: true }),
    ...(jp && { jumpsToParent: true }),
    ...(hid && { hidden: true }),
    ...(file !== undefined && { file }),
    fields: Object.entries(data.STRUCTURE).map(([name, field]) => fieldOf(name, field)),
  }
  return { template }
}

function fieldOf(name: string, field: FieldShape): Field {
  return {
    name,
    label: field.translation,
    type: field.type,
    encrypted: field.encrypted,
    shown: field.show,
    followsPolicy: field.policy,
    canAlarm: field.alarm,
    optional: field.opt,
    marksChanges: field.cc,
    needsClick: field.nc,
    ...(field.log && { logged: true }),
    ...(field.options && { options: field.options }),
    ...(field.options_default !== undefined && { defaultOption: field.options_default }),
    ...(field.placeholder !== undefined && { placeholder: field.placeholder }),
  }
}

function describe({ path, message }: z.core.$ZodIssue): string {
  const words = message.replace(/^Invalid (input|option): /, '')
  return `${path.length === 0 ? 'the template' : path.join('.')}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`
}
