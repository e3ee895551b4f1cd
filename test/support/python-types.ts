import { isSchema, membersOf, type Member, type Schema } from '../../src/http/contract/openapi-schemas.ts'
import { clientOperations, hasEnvelope, type ClientOperation } from './client-operations.ts'
import { createPythonClasses, type PythonClasses } from './python-classes.ts'
import { docstring, pascal } from './python-text.ts'

const banner = `"""What the interface takes and answers, made by test/unit/http/python-types.test.ts from its OpenAPI document.

\`\`VaultCreateBody\`\` and \`\`VaultCreateAnswer\`\` are those of the operation \`\`vault.create\`\`. The package itself does not load this
module: it is for type checkers, and for programs that name its types.

Not edited by hand: GOLDEN=write npx vitest run test/unit/http/python-types.test.ts
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Coroutine,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    TypedDict,
    Union,
    overload,
)

if TYPE_CHECKING:
    from .steps import Upload`

/** An operation in the overloads of `call`. */
interface Overload {
  readonly operation: string
  readonly summary: string
  readonly taken: string
  readonly answer: string
}

/**
 * Text of `clients/python/strongroom/api.py`: types of requests and answers, and of `call` by the name of its
 * operation.
 */
export function pythonTypes(): string {
  const { operations, schemas } = clientOperations()
  const classes = createPythonClasses(schemas)
  const aliases: string[] = []
  /** Every operation gets its names, also where their type is not a class of its own. */
  const named = (name: string, type: string): string => {
    if (type !== name) aliases.push(`${name} = ${type}`)
    return name
  }
  writeEnvelope(classes, schemas)
  const calls = operations.filter(hasEnvelope).map((operation): Overload => {
    const name = pascal(operation.name)
    return {
      operation: operation.name,
      summary: operation.summary,
      taken: takenBy(operation, classes, name, named),
      answer: named(`${name}Answer`, answerOf(operation.answer, classes, name)),
    }
  })
  return [
    banner,
    ...classes.lines,
    '',
    '',
    ...aliases,
    ...protocol('Call', 'What ``call`` of a Client takes and returns, by the name of the operation.', calls),
    ...protocol('AsyncCall', 'The same of an AsyncClient.', calls, (type) => `Coroutine[Any, Any, ${type}]`),
    '',
  ].join('\n')
}

/**
 * Written as three classes, because a class cannot change an inherited member: answers have their own CALLINFO, and
 * some have DATA.
 */
function writeEnvelope({ write, fieldsOf }: PythonClasses, schemas: Readonly<Record<string, Schema>>): void {
  const { Envelope: envelope = {} } = schemas
  const fields = fieldsOf(envelope, 'Envelope')
  const only = (wanted: string) => fields.filter(({ name }) => name === wanted)
  write({ name: '_Rest', fields: fields.filter(({ name }) => !['CALLINFO', 'DATA'].includes(name)) })
  write({ name: '_Sent', fields: only('DATA'), base: '_Rest' })
  write({ name: 'Envelope', description: envelope['description'], fields: only('CALLINFO'), base: '_Sent' })
}

function answerOf({ allOf }: Schema, { write, fieldsOf }: PythonClasses, name: string): string {
  const members = (Array.isArray(allOf) ? allOf : []).flatMap((part) => (isSchema(part) ? membersOf(part) : []))
  if (members.length === 0) return 'Envelope'
  const fields = fieldsOf(objectOf(members.filter((member) => member.name !== 'CALLINFO')), `${name}Answer`)
  const info = members.find((member) => member.name === 'CALLINFO')
  const hasData = members.some((member) => member.name === 'DATA')
  if (info === undefined && !hasData) return write({ name: `${name}Answer`, fields, base: 'Envelope' })
  const infoName = `${name}Info`
  const type =
    info === undefined
      ? 'Callinfo'
      : write({ name: infoName, fields: fieldsOf(info.schema, infoName), base: 'Callinfo' })
  const callinfo = { name: 'CALLINFO', type, required: true, description: undefined }
  return write({ name: `${name}Answer`, fields: [callinfo, ...fields], base: hasData ? '_Rest' : '_Sent' })
}

/** Every answer has `DATA`, although the part that describes it does not say so. */
const objectOf = (members: readonly Member[]): Schema => ({
  properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
  required: members.filter(({ name, required }) => required || name === 'DATA').map(({ name }) => name),
})

/** Arguments of a call after its operation, in Python. */
function takenBy(
  { params, query, body, file }: ClientOperation,
  classes: PythonClasses,
  name: string,
  named: (name: string, type: string) => string,
): string {
  const argument = (word: string, schema: Schema | undefined, typeOf: (schema: Schema) => string): string[] => {
    if (schema === undefined) return []
    const needed = membersOf(schema).some(({ required }) => required)
    return [needed ? `${word}: ${typeOf(schema)}` : `${word}: Optional[${typeOf(schema)}] = None`]
  }
  const classOf = (schema: Schema, own: string): string =>
    classes.write({ name: own, description: schema['description'], fields: classes.fieldsOf(schema, own) })
  // Bodies with members of the caller's own, which a `TypedDict` cannot have.
  const bodyType = (schema: Schema): string =>
    isSchema(schema['additionalProperties']) ? 'Mapping[str, Any]' : classOf(schema, `${name}Body`)
  const all = [
    ...argument('params', params, (schema) => paramsOf(schema, classes, `${name}Params`)),
    ...argument('query', query, (schema) => classOf(schema, `${name}Query`)),
    ...argument('body', body, (schema) => named(`${name}Body`, bodyType(schema))),
    ...{ none: [], optional: ['file: Optional[Upload] = None'], required: ['file: Upload'] }[file],
  ]
  return all.length === 0 ? '' : `, *, ${all.join(', ')}`
}

/** Addresses have few forms, so that their classes are named after the members and not after an operation. */
function paramsOf(params: Schema, { share, fieldsOf }: PythonClasses, second: string): string {
  const members = membersOf(params)
  const name = `${members.map((member) => pascal(member.name)).join('')}Params`
  return share({ name, fields: fieldsOf(params, name).map((field) => ({ ...field, description: undefined })) }, second)
}

function protocol(
  name: string,
  text: string,
  calls: readonly Overload[],
  returned: (type: string) => string = (type) => type,
): string[] {
  const overloads = calls.flatMap(({ operation, taken, answer, summary }) => [
    '',
    '    @overload',
    `    def __call__(self, operation: Literal["${operation}"]${taken}) -> ${returned(answer)}:`,
    ...docstring(`${summary}.`, '        '),
  ])
  return ['', '', `class ${name}(Protocol):`, ...docstring(text, '    '), ...overloads]
}
