import { html, inline, join, lines, type Markup } from './docs-markup.ts'
import type { Operation, Parameter, Response } from './openapi-operation.ts'
import { isSchema, membersOf, wordsFor, type Schema } from './openapi-schemas.ts'

type Row = readonly [name: Markup, words: Markup | string]

export const parameterTable = (parameters: readonly Parameter[]): Markup | '' =>
  table(
    'Parameters',
    parameters.map(({ name, required, schema, description, in: place }) => [
      nameOf(name, required),
      describedAs(schema, description, `in the ${place}, `),
    ]),
  )

export const bodyTable = (type: string, schema: Schema): Markup | '' => table(`Body, ${type}`, rowsOf(schema, true))

/** The response of a success, which stands first among the responses of an operation. */
export function successOf(responses: Operation['responses']): Pick<Response, 'content'> & { readonly status: string } {
  const [status = '', success] = Object.entries(responses)[0] ?? []
  return { status, content: success === undefined || '$ref' in success ? {} : success.content }
}

/** A table of the members of a success besides the envelope. */
export function answerTable(responses: Operation['responses']): Markup | '' {
  const { status, content } = successOf(responses)
  const { allOf } = content['application/json']?.schema ?? {}
  const parts = Array.isArray(allOf) ? allOf.filter(isSchema).filter(({ $ref }) => $ref === undefined) : []
  return table(
    `Answer, ${status}`,
    parts.flatMap((part) => rowsOf(part, false)),
  )
}

export function failureTable(responses: Operation['responses']): Markup | '' {
  const [, ...failures] = Object.entries(responses)
  return table(
    'Failures',
    failures.flatMap(([status, failure]): Row[] =>
      '$ref' in failure ? [] : [[html`<code>${status}</code>`, lines(failure.description)]],
    ),
  )
}

export const recordTable = (title: string, schema: Schema): Markup =>
  html`<div id="record-${title}">${table(title, rowsOf(schema, false))}</div>`

/**
 * One row per member, with nested members; a named schema is mentioned by its name. For a request, the rows say what is
 * required.
 */
function rowsOf(schema: Schema, isSent: boolean, within = ''): Row[] {
  const seen = new Set<string>()
  return variantsOf(schema)
    .flatMap(membersOf)
    .flatMap(({ name, required, schema: member }) => {
      if (seen.has(name)) return []
      seen.add(name)
      const { items } = member
      const isList = member['type'] === 'array' && isSchema(items)
      const inside = rowsOf(isList ? items : member, isSent, `${within}${name}${isList ? '[]' : ''}.`)
      return [
        [nameOf(within + name, isSent && required), describedAs(member, member['description'])] as const,
        ...inside,
      ]
    })
}

/** The alternatives of a schema, or the schema itself. */
function variantsOf(schema: Schema): Schema[] {
  const { anyOf } = schema
  return [schema, ...(Array.isArray(anyOf) ? anyOf.filter(isSchema) : [])]
}

function describedAs(schema: Schema, description: unknown, before = ''): Markup {
  const record = recordOf(schema)
  const type =
    record === undefined
      ? html`${before}${wordsFor(schema)}`
      : html`${before}${schema['type'] === 'array' ? 'list of ' : ''}<a href="#record-${record}">${record}</a>`
  return html`<span class="type">${type}</span
    >${typeof description === 'string' ? html`<br />${inline(description)}` : ''}`
}

function recordOf({ $ref, items }: Schema): string | undefined {
  const named = typeof $ref === 'string' ? $ref : isSchema(items) ? items['$ref'] : undefined
  return typeof named === 'string' ? named.split('/').at(-1) : undefined
}

function table(caption: string, rows: readonly Row[]): Markup | '' {
  if (rows.length === 0) return ''
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${join(
        rows.map(
          ([first, second]) =>
            html`<tr>
              <th scope="row">${first}</th>
              <td>${second}</td>
            </tr>`,
        ),
      )}
    </tbody>
  </table>`
}

const nameOf = (text: string, required: boolean): Markup =>
  html`<code>${text}</code>${required ? html` <i>required</i>` : ''}`
