import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'

const appliance = applianceForTests()

const curlAt = (url: string, path: string, ...args: readonly string[]): string =>
  execFileSync('curl', ['--silent', '--insecure', '--path-as-is', '--include', ...args, new URL(url).origin + path], {
    encoding: 'latin1',
  })
const curl = (path: string, ...args: readonly string[]): string => curlAt(appliance.url, path, ...args)

const curlAs = (method: string, path: string, ...args: readonly string[]): string =>
  curl(path, ...(method === 'HEAD' ? ['--head'] : ['--request', method]), ...args)
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4)
/** The lines of an answer's head that do not change between calls. */
const fieldsOf = (text: string): readonly string[] =>
  text
    .slice(0, text.indexOf('\r\n\r\n'))
    .split('\r\n')
    .filter((line) => !/^(date|x-request-id):/i.test(line))

const browser = ['--header', 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8']
const scripts = readdirSync(resolve(import.meta.dirname, '../../../dist/web/assets')).filter((name) =>
  name.endsWith('.js'),
)

describe('the address of the appliance itself', () => {
  it('is the console of people, in which nothing runs and nothing comes that is not ours', () => {
    for (const version of ['--http1.1', '--http2']) {
      const text = curl('/', version, ...browser)
      expect(text).toMatch(/^HTTP\/[\d.]+ 200/)
      const policy = /^content-security-policy: (.*)\r$/im.exec(text)?.[1]?.split('; ') ?? []
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types worker',
        "worker-src 'self'",
      ])
      for (const header of [
        'cross-origin-opener-policy: same-origin',
        'cross-origin-resource-policy: same-origin',
        'referrer-policy: no-referrer',
        'x-content-type-options: nosniff',
        'cache-control: no-cache',
      ])
        expect(text.toLowerCase()).toContain(header)
      expect(text).not.toMatch(/access-control-/i)
      // No script or style within the page itself.
      expect(text).not.toMatch(/<style|<script(?![^>]* src="\/assets\/)|\son[a-z]+=|javascript:|<(img|iframe|form)\b/i)
      for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/assets\/[\w.-]+$/)
    }
  })

  it('is asked for anew each time, and sent where it has changed', () => {
    const etag = /^etag: (.*)\r$/im.exec(curl('/', ...browser))?.[1] ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    const known = curl('/', ...browser, '--header', `If-None-Match: ${etag}`)
    expect(known).toMatch(/^HTTP\/[\d.]+ 304/)
    expect(known).not.toContain('<html')
    expect(curl('/', ...browser, '--header', 'If-None-Match: "another"')).toMatch(/^HTTP\/[\d.]+ 200/)
  })

  it('answers programs as any address that is none', () => {
    for (const accept of ['Accept: application/json', 'Accept: */*', 'Accept:']) {
      const text = curl('/', '--header', accept)
      expect(text).toMatch(/^HTTP\/[\d.]+ 404/)
      expect(text).toContain('"ERRORCODES"')
    }
    for (const method of ['POST', 'OPTIONS', 'HEAD'])
      expect(curlAs(method, '/', '--header', 'Accept: */*')).toMatch(/^HTTP\/[\d.]+ 404/)
  })

  it('answers browsers by the methods of a page: HEAD like GET, OPTIONS and others with Allow', () => {
    for (const version of ['--http1.1', '--http2']) {
      const head = curlAs('HEAD', '/', version, ...browser)
      expect(head).toMatch(/^HTTP\/[\d.]+ 200/)
      expect(fieldsOf(head)).toEqual(fieldsOf(curl('/', version, ...browser)))
      expect(bodyOf(head)).toBe('')
    }
    const options = curlAs('OPTIONS', '/', ...browser)
    expect(options).toMatch(/^HTTP\/[\d.]+ 204/)
    expect(options.toLowerCase()).toContain('allow: get, head, options\r\n')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = curlAs(method, '/', ...browser)
      expect(refused).toMatch(/^HTTP\/[\d.]+ 405/)
      expect(refused.toLowerCase()).toContain('allow: get, head, options\r\n')
      expect(refused).toContain('"1802"')
    }
  })

  it('leaves no record: what is the same for all says nothing of any', () => {
    curl('/', ...browser)
    expect(appliance.trail.join('')).not.toMatch(/console\.file|docs\.front/)
  })
})

describe('the files of the console', () => {
  it('are kept for a year, because another content has another name, and come as small as the browser can take', () => {
    const [name = ''] = scripts
    const plain = curl(`/assets/${name}`)
    expect(plain).toMatch(/^HTTP\/[\d.]+ 200/)
    expect(plain.toLowerCase()).toContain('cache-control: public, max-age=31536000, immutable')
    expect(plain.toLowerCase()).toContain('content-type: text/javascript; charset=utf-8')
    expect(plain.toLowerCase()).toContain('vary: accept-encoding')
    expect(plain.toLowerCase()).not.toContain('content-encoding')
    for (const encoding of ['br', 'gzip']) {
      const text = curl(`/assets/${name}`, '--header', `Accept-Encoding: ${encoding}`)
      expect(text.toLowerCase()).toContain(`content-encoding: ${encoding}`)
      expect(text.length).toBeLessThan(plain.length)
    }
    // curl decompresses them.
    expect(bodyOf(curl(`/assets/${name}`, '--compressed'))).toBe(bodyOf(plain))
  })

  it('are under a policy that allows nothing, which is that of a worker whose script one of them is', () => {
    const workers = scripts.filter((name) => /-worker-/.test(name))
    expect(workers).toHaveLength(2)
    for (const name of [...workers, ...scripts.slice(0, 1)]) {
      const head = curl(`/assets/${name}`, '--header', 'Accept-Encoding: br')
      const policy = /^content-security-policy: (.*)\r$/im.exec(head)?.[1]?.split('; ')
      expect(policy).toEqual([
        "default-src 'none'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
    }
  })

  it('are those of the build alone', () => {
    const [name = ''] = scripts
    const others = [
      '/assets/',
      '/assets/none.js',
      `/assets/${name}.br`,
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/index.html',
      '/web-packages.json',
    ]
    for (const path of others)
      expect({ path, head: curl(path, ...browser).slice(0, 12) }).toEqual({ path, head: expect.stringMatching(/ 404/) })
  })

  it('have the methods of files, whatever their caller accepts', () => {
    const path = `/assets/${scripts[0]}`
    for (const file of [path, '/favicon.ico']) {
      const head = curlAs('HEAD', file)
      expect(head).toMatch(/^HTTP\/[\d.]+ 200/)
      expect(fieldsOf(head)).toEqual(fieldsOf(curl(file)))
      expect(bodyOf(head)).toBe('')
      for (const [method, status] of [
        ['OPTIONS', 204],
        ['POST', 405],
      ] as const) {
        const answer = curlAs(method, file)
        expect(answer).toMatch(new RegExp(`^HTTP/[\\d.]+ ${status}`))
        expect(answer.toLowerCase()).toContain('allow: get, head, options\r\n')
      }
    }
  })

  it('have the icon that browsers ask for by themselves', () => {
    const text = curl('/favicon.ico')
    expect(text).toMatch(/^HTTP\/[\d.]+ 200/)
    expect(text.toLowerCase()).toContain('content-type: image/svg+xml')
  })

  it('are under a limit of their own, ten times that of calls without a session', async () => {
    const own = await TestAppliance.own({ http: { unidentifiedCallsPerMinute: 10 } })
    onTestFinished(() => own.close())
    const { origin } = new URL(own.url)
    const format = '%{http_code} %header{retry-after}\n'
    const heard = (path: string): string[] =>
      execFileSync(
        'curl',
        ['--silent', '--insecure', '--output', '/dev/null', '--write-out', format, ...browser, origin + path],
        { encoding: 'utf8' },
      ).split('\n')
    // The files first, while no limit of calls is reached that could say when to try again.
    const files = heard('/?[1-110]')
    expect(files.slice(0, 100)).toEqual(Array(100).fill('200 '))
    for (const answers of [files, heard('/api/1.0/vault?[1-14]')]) {
      const refused = answers.filter((one) => one.startsWith('429'))
      expect(refused.length).toBeGreaterThanOrEqual(1)
      for (const one of refused) expect(one).toMatch(/^429 [1-9]\d*$/)
    }
  })
})
