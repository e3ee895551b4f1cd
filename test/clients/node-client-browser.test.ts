import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { openChromium, type Page } from '../support/chromium.ts'
import {
  cutAnswer,
  cutConnection,
  html,
  silence,
  startTlsProxy,
  type ServedFile,
  type TlsProxy,
} from '../support/tls-proxy.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import { nodeClient, personOf } from './node-client-kit.ts'

/**
 * @strongroom/client in Chromium: the modules of the package as they are, on a page whose origin is a proxy before the appliance.
 */

const root = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'clients/node/README.md'), 'utf8')
/** What the README has in a page. */
const [, importMap = ''] = /<script type="importmap">([^]*?)<\/script>/.exec(readme) ?? []
const [, readmePage = ''] = /```html\n([^]*?)```/.exec(readme) ?? []

let appliance: TestAppliance
let proxy: TlsProxy
let page: Page
let vault: TestVault
let modules: string
let user: TestUser
/** How the page logs in, as JavaScript. A one-time password is good once. */
const login = (more: object = {}): string =>
  `strongroom.otpLogin(${JSON.stringify({ ...personOf(appliance, user), otp: user.hardwareToken.press(), ...more })})`

beforeAll(async () => {
  appliance = await TestAppliance.shared()
  user = await appliance.addUser()
  vault = await makeVault(appliance, 'Pages', await appliance.login(user))
  modules = mkdtempSync(join(tmpdir(), 'modules-'))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'clients/node'), '--outDir', modules])
  proxy = await startTlsProxy(appliance, serve)
  page = await openChromium(appliance.ca)
  await page.open(`${proxy.url}/application`)
  await page.run(`globalThis.client = strongroom.createClient({ url: location.origin, login: ${login()} })`)
})
afterAll(async () => {
  await page.close()
  await proxy.close()
  await appliance.close()
  rmSync(modules, { recursive: true })
})

const script = { 'content-type': 'text/javascript' }
const markup = { 'content-type': 'text/html; charset=utf-8' }
const hash = createHash('sha256').update(importMap).digest('base64')
/** All that the client may need of a policy. */
const policy = `default-src 'none'; script-src 'self' 'sha256-${hash}'; connect-src 'self'; require-trusted-types-for 'script'`

function serve(path: string): ServedFile | undefined {
  if (path === '/of-the-readme') return { content: readmePage, headers: markup }
  if (path === '/application')
    return {
      content: `<!doctype html><script type="importmap">${importMap}</script><script type="module" src="/application.js"></script>`,
      headers: { ...markup, 'content-security-policy': policy },
    }
  if (path === '/application.js')
    return {
      content: `import * as strongroom from '@strongroom/client'\nglobalThis.strongroom = strongroom`,
      headers: script,
    }
  const file = join(modules, basename(path))
  return path.startsWith('/client/') && existsSync(file) ? { content: readFileSync(file), headers: script } : undefined
}

/** What a call that must fail throws in the page. */
const failure = (expression: string): Promise<Record<string, unknown>> =>
  page.run(`${expression}.then(() => 'no failure', (error) => ({
    name: error.constructor.name, code: error.code, number: error.number, status: error.status,
    isTyped: error instanceof strongroom.StrongroomError,
  }))`)

const key = (name: string): string => `client.key('${vault.id}', '${name}')`

describe('the client in a browser', () => {
  it('logs in, and encrypts and decrypts text and bytes', async () => {
    expect(
      await page.run(`${key('greeting')}.encrypt('Grüße').then((one) => ${key('greeting')}.decryptText(one))`),
    ).toBe('Grüße')
    const bytes = `Uint8Array.from({ length: 256 }, (_, index) => index)`
    const back = await page.run<number[]>(
      `${key('greeting')}.encrypt(${bytes}, { aad: 'row 7' }).then((one) => ${key('greeting')}.decrypt(one, { aad: 'row 7' })).then((one) => [...one])`,
    )
    expect(back).toEqual(Array.from({ length: 256 }, (_, index) => index))
  })

  it('encrypts what other clients decrypt', async () => {
    const ciphertext = await page.run<string>(`${key('greeting')}.encrypt('from a page')`)
    expect(await vault.decrypt('greeting', ciphertext)).toBe(Buffer.from('from a page').toString('base64'))
    const other = await vault.encrypt('greeting', Buffer.from('from elsewhere').toString('base64'))
    expect(await page.run(`${key('greeting')}.decryptText('${other}')`)).toBe('from elsewhere')
  })

  it('joins the calls of one tick into a batch, and gives each its own outcome', async () => {
    const before = proxy.seen.length
    const outcomes = await page.run<string[]>(`(async () => {
      const key = ${key('rows')}
      const made = await Promise.all(Array.from({ length: 100 }, (_, row) => key.encrypt('row ' + row)))
      made[40] = made[40].slice(0, -4) + 'AAAA'
      const read = await Promise.allSettled(made.map((one) => key.decryptText(one)))
      return read.map(({ value, reason }) => value ?? reason.code)
    })()`)
    expect(outcomes).toEqual(
      Array.from({ length: 100 }, (_, row) => (row === 40 ? 'ciphertext.invalid' : `row ${row}`)),
    )
    expect(proxy.seen.slice(before).map((line) => line.split('/')[5])).toEqual(['encrypt', 'decrypt'])
  })

  it('uploads a file from the page, and gets it back', async () => {
    const text = await page.run<string>(`(async () => {
      const file = { name: 'note.txt', content: new Blob(['kept by a page']), type: 'text/plain' }
      const { CALLINFO } = await client.call('object.create', { body: { groupid: '${vault.id}', parentid: '0', objectname: 'note.txt' }, file })
      const { FILEDATA } = await client.call('object.read', { params: { objectid: CALLINFO.objectid }, query: { filedata: true } })
      return atob(FILEDATA)
    })()`)
    expect(text).toBe('kept by a page')
  })

  it('goes on with the token of an earlier page', async () => {
    const name = await page.run<string>(`(async () => {
      let kept
      await strongroom.createClient({ url: location.origin, login: ${login()}, onToken: (token) => (kept = token) }).login()
      const next = strongroom.createClient({ url: location.origin, token: kept })
      const { CALLINFO } = await next.call('auth.check')
      await next.logout()
      return CALLINFO.status
    })()`)
    expect(name).toBe('SUCCESS')
  })

  it('has the fake for tests that run in a browser', async () => {
    const text = await page.run(`import('/client/fake.js').then(async ({ createFakeAppliance }) => {
      const key = createFakeAppliance().client().key(1, 'cards')
      return key.decryptText(await key.encrypt('4111'))
    })`)
    expect(text).toBe('4111')
  })
})

describe('streams in a browser', () => {
  it('encrypt a file of the page piece by piece, as other clients read it', async () => {
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/files`, {})
    const [length, sealed, same] = await page.run<[number, string, boolean]>(`(async () => {
      const content = new Uint8Array(5 * 2 ** 20 + 17)
      for (let at = 0; at < content.length; at += 65_536) crypto.getRandomValues(content.subarray(at, at + 65_536))
      content.set(new TextEncoder().encode('begin'))
      const sealed = new Blob([await new Response(${key('files')}.encryptStream(new Blob([content]).stream(), { aad: 'file' })).arrayBuffer()])
      globalThis.sealed = sealed
      const back = new Uint8Array(await new Response(${key('files')}.decryptStream(sealed.stream(), { aad: 'file' })).arrayBuffer())
      const url = await new Promise((done) => Object.assign(new FileReader(), { onload() { done(this.result) } }).readAsDataURL(sealed))
      return [back.length, url.slice(url.indexOf(',') + 1), back.every((byte, at) => byte === content[at])]
    })()`)
    expect([length, same]).toEqual([5 * 2 ** 20 + 17, true])
    const reader = await appliance.addUser()
    await vault.share(String(reader.id), 'Read')
    const client = nodeClient(appliance, reader)
    const pieces: Uint8Array[] = []
    const stream = client.key(vault.id, 'files').decryptStream(new Blob([Buffer.from(sealed, 'base64')]).stream(), {
      aad: 'file',
    })
    for await (const piece of stream) pieces.push(piece)
    client.close()
    expect(Buffer.concat(pieces).length).toBe(length)
    expect(Buffer.concat(pieces).subarray(0, 5).toString()).toBe('begin')
  })

  it('refuse one that was cut, and say so to who reads them', async () => {
    const cut = `${key('files')}.decryptStream(sealed.slice(0, 3 * 2 ** 20).stream(), { aad: 'file' })`
    const read = `(async () => { for await (const piece of ${cut}); })()`
    expect(await failure(read)).toMatchObject({ name: 'RangeError' })
    // What the browser makes of it.
    expect(await failure(`new Response(${cut}).arrayBuffer()`)).toMatchObject({ name: 'TypeError' })
  })
})

describe('failures in a browser', () => {
  /** A call that leaves a connection open, over which the next one goes. */
  const connect = (): Promise<unknown> => page.run(`client.call('auth.check').then(() => undefined)`)

  it.each([
    ['StrongroomError', 'greeting', { code: 'ciphertext.invalid', number: 1507, status: 400 }],
    ['NotFoundError', 'nothing', { code: 'key.not_found', status: 404 }],
  ])('are a %s with its code, as in Node.js', async (name, of, details) => {
    const made = await page.run<string>(`${key('greeting')}.encrypt('x', { aad: 'row 7' })`)
    const call = `${key(of)}.decrypt('${made}', { aad: 'row 8' })`
    expect(await failure(call)).toMatchObject({ name, isTyped: true, ...details })
  })

  it('say that a login was refused', async () => {
    const refused = login({ passphrase: 'wrong' })
    expect(await failure(`strongroom.createClient({ url: location.origin, login: ${refused} }).login()`)).toMatchObject(
      { name: 'AuthenticationError', isTyped: true },
    )
  })

  it('tell a connection that broke from HTML of a proxy, and a call that was cancelled', async () => {
    const call = `client.call('vault.list', {}, { retries: 0 })`
    await connect()
    // Over a connection that was kept open, Chromium sends a call again by itself (below).
    proxy.meddle(cutConnection, cutConnection)
    expect(await failure(call)).toMatchObject({ name: 'NetworkError', code: 'network' })
    proxy.meddle(cutAnswer)
    expect(await failure(call)).toMatchObject({ name: 'ProtocolError' })
    proxy.meddle(html(502))
    expect(await failure(call)).toMatchObject({ name: 'ProtocolError', status: 502 })
    proxy.meddle(silence())
    expect(
      await failure(`client.call('vault.list', {}, { signal: AbortSignal.timeout(300), retries: 0 })`),
    ).toMatchObject({ name: 'DOMException', isTyped: false })
  })

  it('may come after a call was done twice: the browser repeats it where a connection that was kept open breaks', async () => {
    await connect()
    proxy.meddle(async (_incoming, outgoing, pass) => {
      await pass()
      outgoing.destroy()
    })
    const before = proxy.seen.length
    await page.run(`client.call('vault.create', { body: { vaultname: 'Twice' } })`)
    expect(proxy.seen.slice(before)).toEqual(['POST /api/1.0/vault', 'POST /api/1.0/vault'])
  })
})

describe('a page', () => {
  it('needs nothing that a strict policy forbids', () => {
    const others = page.complaints.filter((text) => !text.includes('Failed to load resource'))
    expect(others).toEqual([])
    expect(page.requests.filter((url) => !url.startsWith(`${proxy.url}/`))).toEqual([])
  })

  it('runs as the README has it, for a person who types', async () => {
    const person = await appliance.addUser()
    const name = `Of ${person.username}`
    await makeVault(appliance, name, await appliance.login(person))
    await page.open(`${proxy.url}/of-the-readme`)
    const typed = { ...personOf(appliance, person), otp: person.hardwareToken.press() }
    for (const [field, text] of Object.entries(typed)) {
      await page.run(`document.querySelector('[name=${field}]').focus()`)
      await page.type(text)
    }
    await page.run(`document.querySelector('button').click()`)
    const shown = `new Promise((done) => {
      const output = document.querySelector('output')
      const look = () => (output.textContent === '' ? setTimeout(look, 50) : done(output.textContent))
      look()
    })`
    expect(await page.run(shown)).toBe(name)
  })

  it('of another origin gets no answer of the appliance', async () => {
    const call = `import('@strongroom/client').then(({ createClient }) =>
      createClient({ url: '${appliance.url}', token: 'x', retries: 0 }).call('auth.check')).catch(({ code }) => code)`
    expect(await page.run(call)).toBe('network')
    expect(page.complaints.join('\n')).toContain('CORS')
  })
})
