import type { AnyEndpoint } from './endpoint.ts'
import type { JsonObject } from './envelope.ts'

/**
 * A call and its answer as a test made them with a running appliance. What differs per run is replaced, and long texts
 * are cut.
 */
export interface Example {
  readonly params?: Readonly<Record<string, string>>
  /** Members of the body, or of the query of a GET. */
  readonly members?: JsonObject
  /** The content of the uploaded file. */
  readonly file?: string
  readonly answer: JsonObject
}

/** Examples by operation id. */
export type Examples = ReadonlyMap<string, Example>

/** The key of an operation's example with `batch_input`. */
export const manyOf = (operationId: string): string => `${operationId}.many`

/** Examples in a document: a single one, or several by name. */
export interface Shown {
  readonly example?: unknown
  readonly examples?: Readonly<Record<'one' | 'many', { readonly summary: string; readonly value: unknown }>>
}

export const shown = (one: unknown, many: unknown): Shown =>
  many === undefined
    ? { example: one }
    : { examples: { one: { summary: 'One', value: one }, many: { summary: 'Many at once', value: many } } }

/** The example to show where there is room for one. */
export const firstOf = (content: Shown | undefined): unknown => content?.example ?? content?.examples?.one.value

/**
 * Each contract with the id of its operation in the document. The second method of an operation gets an id of its own.
 */
export function withOperationIds(
  endpoints: readonly AnyEndpoint[],
): readonly { readonly contract: AnyEndpoint; readonly operationId: string }[] {
  const seen = new Set<string>()
  // OpenAPI 3.1 has no method LIST. It is an alias of GET for all operations, and the description says so.
  return endpoints
    .filter(({ method }) => method !== 'LIST')
    .map((contract) => {
      const { operation, method } = contract
      const operationId = seen.has(operation) ? `${operation}.${method.toLowerCase()}` : operation
      seen.add(operationId)
      return { contract, operationId }
    })
}
