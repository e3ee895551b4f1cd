import { createHash } from 'node:crypto'
import type { Page } from './envelope.ts'
import type { Operation, Parameter, Response } from './openapi-operation.ts'
import { isSchema, membersOf, type Member, type Schema, wordsFor } from './openapi-schemas.ts'
import type { OpenApi } from './openapi.ts'

/** HTML whose text is escaped. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML: what is put in is escaped unless it is markup itself. */
export function html(pieces: TemplateStringsArray, ...values: readonly (Markup | string)[]): Markup {
  return new Markup(String.raw({ raw: pieces }, ...values.map(escaped)))
}

/** For text of our own that is not HTML, such as a style sheet. */
html.raw = (text: string): Markup => new Markup(text)

export function join(parts: readonly (Markup | string)[]): Markup {
  return new Markup(parts.map(escaped).join(''))
}

function escaped(value: Markup | string): string {
  return value instanceof Markup
    ? String(value)
    : value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Light and dark, narrow and wide, screen and paper; no font, colour or image from elsewhere. */
const docsStyle = `
:root { --ink: #1d2126; --soft: #59626e; --paper: #fff; --line: #d9dee5; --tint: #f4f6f9; --link: #0b57a4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ed; --soft: #a3adba; --paper: #15181c; --line: #343b45; --tint: #1e2329; --link: #7fb8f5; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--ink); background: var(--paper); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, main:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
h1 { margin: 0 0 .5rem; font-size: 2rem; }
header p { max-width: 46rem; }
section > h2 { margin: 3rem 0 .25rem; font-size: 1.5rem; border-bottom: 2px solid var(--line); }
article { margin: 1.75rem 0 2.5rem; }
h3 { margin: 0; font-size: 1.15rem; }
code { font: .9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.route { margin: .35rem 0; padding: .4rem .6rem; background: var(--tint); border-radius: .3rem; }
.route b { display: inline-block; min-width: 4.5rem; font: bold .85em ui-monospace, monospace; color: var(--soft); }
.route .delete { color: #b3261e; }
@media (prefers-color-scheme: dark) { .route .delete { color: #ff8a80; } }
table { width: 100%; margin: .75rem 0; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; color: var(--soft); padding-bottom: .2rem; }
th, td { padding: .35rem .6rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { width: 14rem; font-weight: 400; }
th i { color: var(--soft); font-size: .85em; }
td p { margin: 0 0 .2rem; }
td ul { margin: .2rem 0; padding-left: 1.2rem; }
nav { margin: 2rem 0; columns: 16rem; font-size: .9rem; }
nav h2 { margin: 0; font-size: 1rem; break-after: avoid; }
nav ul { margin: 0 0 1rem; padding-left: 1rem; list-style: none; break-inside: avoid; }
@media (max-width: 40rem) {
  body { padding: 1rem; }
  th, td { display: block; width: auto; }
  td { border-top: 0; padding-top: 0; }
}
@media print {
  nav, .skip { display: none; }
  body { max-width: none; font-size: 10pt; }
  article, tr { break-inside: avoid; }
}
`

// In one piece: the layout of the page below must not put a blank into what the hash is of.
const styleElement = html.raw(`<style>${docsStyle}</style>`)

const styleHash = createHash('sha256').update(docsStyle).digest('base64')
/** Nothing of the page comes from elsewhere, and nothing in it runs. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The interface as one page for a browser. */
export function docsPage(document: OpenApi): Page {
  return {
    contentType: 'text/html; charset=utf-8',
    content: Buffer.from(String(pageOf(document))),
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
