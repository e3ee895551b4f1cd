import { policy, scriptElement, styleElement } from './docs-assets.ts'
import { html, join, lines, type Markup } from './docs-markup.ts'
import { samplesOf } from './docs-samples.ts'
import { answerTable, bodyTable, failureTable, parameterTable, recordTable, successOf } from './docs-tables.ts'
import type { Page } from './envelope.ts'
import { firstOf } from './example.ts'
import type { Operation } from './openapi-operation.ts'
import type { OpenApi } from './openapi.ts'

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
        ${html.raw(styleElement)}
      </head>
      <body>
        <a class="skip" href="#content">To the operations</a>
        <header>
          <h1>${document.info.title}</h1>
          ${lines(document.info.description)}
          <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        </header>
        ${quickStart} ${tools}
        <nav aria-label="Operations">${join(groups.map(contents))}</nav>
        <main id="content" tabindex="-1">${join(groups.map(section))} ${failures(document)} ${records(document)}</main>
        ${html.raw(scriptElement)}
      </body>
    </html>`
}

/** A test runs this text unchanged. */
const quickStartText = `export STRONGROOM=https://vault.example.com   # the address of this appliance

# Log in: application key, pass phrase, and a code of your authenticator app
export TOKEN=$(curl -s "$STRONGROOM/api/1.0/auth" -d '{
  "username": "alice", "passphrase": "correct horse battery staple",
  "apikey": "f3K9mQ2xT7bWn5Rz8LpV4cY6", "otp": "287082", "logintype": "totp" }' |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["CALLINFO"]["token"])')

# Make a vault, and encrypt in it: the first use of a name makes its key
VAULT=$(curl -s "$STRONGROOM/api/1.0/vault" -H "X-Http-Token: $TOKEN" -d '{ "vaultname": "Web shop" }' |
  python3 -c 'import json, sys; print(json.load(sys.stdin)["VAULT"][0]["id"])')
curl -s "$STRONGROOM/api/1.0/transparent/$VAULT/encrypt/orders" -H "X-Http-Token: $TOKEN" \\
  -d '{ "plaintext": "'$(printf 4111111111111111 | base64)'" }'`

const quickStart = html`<section aria-labelledby="start">
  <h2 id="start">Quick start</h2>
  <p>
    You need a user with a second factor and an application key, both from the administrator. Every answer may bring a
    new token in <code>CALLINFO.token</code>: a program takes it for the next call.
  </p>
  ${pre('start', quickStartText)}
</section>`

const tools = html`<div class="tools">
  <input id="search" type="search" placeholder="Search operations, members, error numbers" aria-label="Search" hidden />
  <span id="found" role="status"></span>
  <span role="radiogroup" aria-label="Language of the examples">
    <label><input type="radio" name="language" id="as-curl" checked /> curl</label>
    <label><input type="radio" name="language" id="as-node" /> Node.js</label>
    <label><input type="radio" name="language" id="as-python" /> Python</label>
  </span>
</div>`

const languageClasses = { curl: 'curl', 'Node.js': 'node', Python: 'python' } as const

/** On one line, because every blank within it is displayed. */
function pre(name: string, text: string): Markup {
  return html.raw(`<pre class="${name}"><code>${String(html`${text}`)}</code></pre>`)
}

function failures({ components }: OpenApi): Markup {
  const { description } = components.responses['AnyFailure'] ?? { description: '' }
  return html`<section aria-labelledby="failures">
    <h2 id="failures">Failures of any call</h2>
    ${lines(description)}
  </section>`
}

function records({ components }: OpenApi): Markup {
  return html`<section aria-labelledby="records">
    <h2 id="records">Records</h2>
    <p>What several answers hold.</p>
    ${join(Object.entries(components.schemas).map(([title, schema]) => recordTable(title, schema)))}
  </section>`
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
  return html`<article aria-labelledby="${operation.operationId}" data-id="${operation.operationId}">
    <h3 id="${operation.operationId}">${operation.summary}</h3>
    <p class="route"><b class="${method.toLowerCase()}">${method}</b> <code>/api/1.0${path}</code></p>
    ${lines(operation.description)}
    <div class="samples">
      ${join(samplesOf(method, path, operation).map(({ language, text }) => pre(languageClasses[language], text)))}
    </div>
    ${answerExample(operation)} ${batchExample(operation)} ${parameterTable(operation.parameters)}
    ${join(body.map(([type, { schema }]) => bodyTable(type, schema)))} ${answerTable(operation.responses)}
    ${failureTable(operation.responses)}
  </article>`
}

function answerExample({ responses }: Operation): Markup | '' {
  const example = firstOf(successOf(responses).content['application/json'])
  if (example === undefined) return ''
  return html`<details>
    <summary>An answer</summary>
    ${pre('answer', JSON.stringify(example, undefined, 2))}
  </details>`
}

function batchExample({ requestBody, responses }: Operation): Markup | '' {
  const [sent, answer] = [requestBody, successOf(responses)].map(
    (one) => one?.content['application/json']?.examples?.many,
  )
  if (sent === undefined || answer === undefined) return ''
  return html`<details>
    <summary>${sent.summary}, and an answer</summary>
    ${pre('answer', JSON.stringify(sent.value, undefined, 2))}
    ${pre('answer', JSON.stringify(answer.value, undefined, 2))}
  </details>`
}
