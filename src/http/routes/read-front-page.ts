import { createHash } from 'node:crypto'
import { z } from 'zod'
import { html } from '../contract/docs-page.ts'
import { endpoint } from '../contract/endpoint.ts'

const style = `
:root { color-scheme: light dark; --ink: #1d2126; --paper: #fff; --soft: #59626e; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ed; --paper: #15181c; --soft: #a3adba; --link: #7fb8f5; } }
body { margin: 18vh auto 0; max-width: 36rem; padding: 0 1.5rem; color: var(--ink); background: var(--paper); font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0; font-size: 2rem; }
p, li { margin: .6rem 0; }
ul { padding-left: 1.2rem; }
.soft { color: var(--soft); }
a { color: var(--link); }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
`
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

// In one piece, because the hash is of what stands between the tags.
const styleElement = html.raw(`<style>${style}</style>`)

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Strongroom</title>
      ${styleElement}
    </head>
    <body>
      <main>
        <h1>Strongroom</h1>
        <p>This machine keeps secrets and keys. Programs call it; there is nothing to log in to in a browser.</p>
        <ul>
          <li><a href="/api/1.0/docs">The interface</a>, for those who write or set up such programs</li>
          <li><a href="/api/1.0/openapi.json">The same as OpenAPI</a>, for tools</li>
        </ul>
        <p class="soft">For access ask the administrator who runs it.</p>
      </main>
    </body>
  </html>`

/** `GET /` for people: those who type the address of the appliance into a browser. It is no part of the interface. */
export const readFrontPage = endpoint({
  operation: 'docs.front',
  handler: 'Handler',
  method: 'GET',
  path: '/',
  summary: 'See in a browser what this is',
  access: { kind: 'public' },
  success: 200,
  document: 'text/html',
  params: z.object({}),
  body: z.object({}),
  run: () =>
    Promise.resolve({
      page: {
        contentType: 'text/html; charset=utf-8',
        content: Buffer.from(String(page)),
        headers: { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' },
      },
    }),
})
