import { createHash } from 'node:crypto'
import { docsStyle } from './docs-style.ts'
import type { Page } from './envelope.ts'
import { html, join, type Markup } from './markup.ts'
import type { Operation, Parameter, Response } from './openapi-operation.ts'
import type { OpenApi } from './openapi.ts'
import { isSchema, membersOf, type Member, type Schema } from './openapi-schemas.ts'
import { wordsFor } from './schema-words.ts'

// In one piece: the layout of the page below must not put a blank into what the hash is of.
const styleElement = html.raw(`<style>${docsStyle}</style>`)

const styleHash = createHash('sha256').update(docsStyle).digest('base64')
/** Nothing of the page comes from elsewhere, and nothing in it runs. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The interface as one page for a browser. */
export function docsPage(document: OpenApi): Page {
  return {
    contentType: 'text/html; charset=utf-8',
    text: String(pageOf(document)),
    headers: { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
  }
}

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

function pageOf(document: OpenApi): Markup {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title}: the interface</title>
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#content">To the operations</a>
        <header>
          <h1>${document.info.title}</h1>
          ${join(document.info.description.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`))}
          <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        </header>
        <nav aria-label="Operations">${join(groups.map(contents))}</nav>
        <main id="content" tabindex="-1">${join(groups.map(section))}</main>
      </body>
    </html>`
}

type Group = { readonly name: string; readonly description: string; readonly entries: readonly Entry[] }

const contents = ({ name, entries }: Group): Markup =>
  html`<h2><a href="#${name}">${name}</a></h2>
    <ul>
      ${join(entries.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`))}
    </ul>`

const section = ({ name, description, entries }: Group): Markup =>
  html`<section aria-labelledby="${name}">
    <h2 id="${name}">${name}</h2>
    <p>${description}</p>
    ${join(entries.map(article))}
  </section>`

function article({ method, path, operation }: Entry): Markup {
  const body = Object.entries(operation.requestBody?.content ?? {})
  return html`<article aria-labelledby="${operation.operationId}">
    <h3 id="${operation.operationId}">${operation.summary}</h3>
    <p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>/api/1.0${path}</code></p>
    <p>${operation.description}</p>
    ${parameterTable(operation.parameters)} ${join(body.map(([type, { schema }]) => bodyTable(type, schema)))}
    ${answerTable(operation.responses)}
  </article>`
}

function parameterTable(parameters: readonly Parameter[]): Markup | '' {
  return table(
    'Parameters',
    parameters.map((parameter) => [
      name(parameter),
      html`in the ${parameter.in};
      ${wordsFor(parameter.schema)}${parameter.description ? html`. ${parameter.description}` : ''}`,
    ]),
  )
}

const bodyTable = (type: string, schema: Schema): Markup | '' =>
  table(
    `Body, ${type}`,
    membersOf(schema).map((member) => [name(member), wordsFor(member.schema)]),
  )

function answerTable(responses: Readonly<Record<string, Response>>): Markup | '' {
  return table(
    'Answers',
    Object.entries(responses).map(([status, { description, content }]) => [
      html`<code>${status}</code>`,
      html`${join(description.split('\n\n').map((line) => html`<p>${line}</p>`))}${replyOf(content)}`,
    ]),
  )
}

/** What a success holds beyond the envelope. */
function replyOf(content: Response['content']): Markup | string {
  const { allOf } = content['application/json']?.schema ?? {}
  const members = Array.isArray(allOf) ? allOf.filter(isSchema).flatMap(membersOf) : []
  if (members.length === 0) return ''
  return html`<ul>
    ${join(members.map((member) => html`<li><code>${member.name}</code>: ${wordsFor(member.schema)}</li>`))}
  </ul>`
}

function table(caption: string, rows: readonly (readonly [Markup, Markup | string])[]): Markup | '' {
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

const name = ({ name: text, required }: Pick<Member, 'name' | 'required'>): Markup =>
  html`<code>${text}</code>${required ? html` <i>required</i>` : ''}`

/** Text whose `code` is set as code. */
function inline(text: string): Markup {
  return join(text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)))
}
