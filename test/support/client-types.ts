import { compile } from 'json-schema-to-typescript'
import { format, resolveConfig } from 'prettier'
import { faultCatalogue } from '../../src/http/contract/faults.ts'
import type { Schema } from '../../src/http/contract/openapi-schemas.ts'
import { clientOperations, strictObject, type ClientOperation } from './client-operations.ts'

type JsonSchema = Parameters<typeof compile>[0]

const banner = `/**
 * What the interface takes and answers, made from its OpenAPI document by test/unit/http/client-types.test.ts. Not edited
 * by hand: GOLDEN=write npx vitest run test/unit/http/client-types.test.ts
 */`

/** Text of `clients/node/src/api.ts`: types of requests and answers, addresses of operations, error numbers. */
export async function clientTypes(path: string): Promise<string> {
  const { operations, schemas } = clientOperations()
  const members = Object.fromEntries(operations.map((operation) => [operation.name, typeOf(operation)]))
  const schema = {
    title: 'Operations',
    description: 'What each operation takes and answers, by its name.',
    ...strictObject(members),
    definitions: schemas,
  }
  // The document is JSON: a copy of it has no member that two schemas share.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- OpenAPI 3.1 writes JSON Schema
  const types = await compile(atDefinitions(schema) as JsonSchema, 'Operations', {
    bannerComment: '',
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    format: false,
  })
  const addresses = Object.fromEntries(
    operations.map(({ name, method, path, isPublic }) => [name, [method, path, isPublic ? 'public' : 'session']]),
  )
  const errors = Object.fromEntries(
    Object.entries(faultCatalogue).map(([code, { number, status }]) => [code, { number, status }]),
  )
  const text = [
    banner,
    '/* oxlint-disable eslint/max-lines, typescript/no-redundant-type-constituents -- as the document has it */',
    types,
    `/** Method and path of each operation, and whether it takes a session. */\nexport const addresses = ${JSON.stringify(addresses)} as const`,
    `/** Number and status of each error, by its code. */\nexport const errorCatalogue = ${JSON.stringify(errors)} as const`,
  ]
  return format(text.join('\n\n'), { ...(await resolveConfig(path)), parser: 'typescript' })
}

/** Schema of the arguments and the answer of an operation, by the names that the client uses. */
function typeOf({ summary, description, params, query, body, answer }: ClientOperation): Schema {
  const members = { ...(params && { params }), ...(query && { query }), ...(body && { body }), answer }
  return { description: `${summary}. ${description}`, ...strictObject(members) }
}

/**
 * A copy whose references point to where the compiler looks for names. Titles are removed, because the compiler would
 * make names of them.
 */
function atDefinitions(schema: Schema): unknown {
  const text = JSON.stringify(schema, (name, value: unknown) =>
    name === 'title' && value !== 'Operations' && typeof value === 'string' ? undefined : value,
  )
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/definitions/'))
}
