import { isSchema, membersOf, type Schema } from '../../src/http/contract/openapi-schemas.ts'
import { docstring, literalOf, pascal, unionOf } from './python-text.ts'

/** A member of a class, with its type in Python. */
interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: unknown
}

export interface ClassForm {
  readonly name: string
  readonly description?: unknown
  readonly fields: readonly Field[]
  /** The base class, which has some of its members. */
  readonly base?: string
}

export interface PythonClasses {
  readonly lines: readonly string[]
  /**
   * The Python type of a schema, for which it writes the classes. `name`: that of a new class for the schema itself.
   */
  typeOf(schema: Schema, name: string): string
  fieldsOf(schema: Schema, name: string): Field[]
  /** Writes a class. Returns its name. */
  write(form: ClassForm): string
  /**
   * Like `write`, but uses an existing class with the same members. `second`: the name where another class has the
   * first one.
   */
  share(form: ClassForm, second?: string): string
}

const plain: Readonly<Record<string, string>> = { string: 'str', integer: 'int', boolean: 'bool', null: 'None' }

/** Writes schemas of the OpenAPI document as `TypedDict`s of Python 3.9. */
export function createPythonClasses(schemas: Readonly<Record<string, Schema>>): PythonClasses {
  const lines: string[] = []
  const names = new Set<string>()
  /** Names of shared classes, by their content. */
  const known = new Map<string, string>()

  const write = (form: ClassForm): string => {
    if (names.has(form.name)) throw new Error(`two classes would be called ${form.name}`)
    names.add(form.name)
    lines.push(...classLines(form))
    return form.name
  }

  const share = (form: ClassForm, second = form.name): string => {
    const held = JSON.stringify({ ...form, name: '' })
    const name = known.get(held) ?? write({ ...form, name: names.has(form.name) ? second : form.name })
    known.set(held, name)
    return name
  }

  const component = (reference: string): string => {
    const name = reference.replace('#/components/schemas/', '')
    const schema = schemas[name]
    if (schema === undefined) throw new Error(`the document has no schema ${name}`)
    if (!names.has(name)) write({ name, description: schema['description'], fields: fieldsOf(schema, name) })
    return name
  }

  const typeOf = (schema: Schema, name: string): string => {
    const { $ref, anyOf, oneOf, properties, items, additionalProperties, type } = schema
    if (typeof $ref === 'string') return component($ref)
    const variants = schemasIn(anyOf ?? oneOf)
    if (isSchema(properties) || isMerged(variants))
      return share({ name, description: schema['description'], fields: fieldsOf(schema, name) })
    if (variants.length > 0) {
      const objects = variants.filter((variant) => isSchema(variant['properties']))
      return unionOf(variants.map((one) => typeOf(one, objects.length > 1 ? `${name}${firstMember(one)}` : name)))
    }
    const literal = literalOf(schema)
    if (literal !== undefined) return literal
    // Ids, whose numbers are integers.
    if (Array.isArray(type)) return unionOf(type.map((one) => (one === 'number' ? 'int' : typeOf({ type: one }, name))))
    if (type === 'array') return `List[${typeOf(isSchema(items) ? items : {}, name)}]`
    if (type === 'object')
      return `Dict[str, ${typeOf(isSchema(additionalProperties) ? additionalProperties : {}, name)}]`
    return plain[String(type)] ?? 'Any'
  }

  /** The members of an object. For forms with members in common: those of all forms, some of them optional. */
  const fieldsOf = (schema: Schema, name: string): Field[] => {
    const forms = isSchema(schema['properties']) ? [schema] : schemasIn(schema['anyOf'])
    const members = forms.map((form) => membersOf(form))
    const all = [...new Set(members.flat().map((member) => member.name))]
    return all.map((member) => {
      const found = members.flatMap((some) => some.filter((one) => one.name === member))
      return {
        name: member,
        type: unionOf(found.map((one) => typeOf(one.schema, `${name}${pascal(member)}`))),
        required: found.length === forms.length && found.every(({ required }) => required),
        description: found[0]?.schema['description'],
      }
    })
  }

  return { lines, typeOf, fieldsOf, write, share }
}

/** Whether forms become one class: an answer for one item and for many, or a result and the error in its place. */
function isMerged(forms: readonly Schema[]): boolean {
  const [first, ...others] = forms.map((form) => membersOf(form).map(({ name }) => name))
  if (first === undefined || others.length === 0) return false
  return others.every((names) => names.some((name) => first.includes(name)))
}

const firstMember = (schema: Schema): string => pascal(membersOf(schema)[0]?.name ?? '')

const schemasIn = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter((one) => isSchema(one)) : [])

/**
 * Python 3.9 cannot mark a single member as optional. A class with both kinds becomes two, the first of which begins
 * with _.
 */
function classLines({ name, description, fields, base = 'TypedDict' }: ClassForm): string[] {
  const there = fields.filter(({ required }) => required)
  const absent = fields.filter(({ required }) => !required)
  if (absent.length === 0) return ['', '', `class ${name}(${base}):`, ...bodyLines(description, there)]
  const begin = there.length === 0 ? [] : classLines({ name: `_${name}`, fields: there, base })
  const parent = there.length === 0 ? base : `_${name}`
  return [...begin, '', '', `class ${name}(${parent}, total=False):`, ...bodyLines(description, absent)]
}

function bodyLines(description: unknown, fields: readonly Field[]): string[] {
  const text = docstring(description, '    ')
  const members = fields.flatMap((field) => [
    `    ${field.name}: ${field.type}`,
    ...docstring(field.description, '    '),
  ])
  const lines = [...text, ...(text.length > 0 && members.length > 0 ? [''] : []), ...members]
  return lines.length === 0 ? ['    pass'] : lines
}
