import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'

let appliance: TestAppliance
let root: string
beforeAll(async () => {
  appliance = await TestAppliance.start()
  root = new URL('/', appliance.url).href
})
afterAll(() => appliance.close())

const curl = (...args: readonly string[]): string =>
  execFileSync('curl', ['--silent', '--insecure', '--include', ...args, root], { encoding: 'utf8' })

const browser = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('the address of the appliance itself', () => {
  it('shows people what it is, on a page in which nothing runs and nothing comes from elsewhere', () => {
    for (const version of ['--http1.1', '--http2']) {
      const text = curl(version, '--header', browser)
      expect(text).toMatch(/^HTTP\/[\d.]+ 200/)
      const style = /<style>([^<]+)<\/style>/.exec(text)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(text.toLowerCase()).toContain(
        `content-security-policy: default-src 'none'; style-src 'sha256-${hash}'`.toLowerCase(),
      )
      expect(text).not.toMatch(/<script|\son[a-z]+=|javascript:|<(img|link|iframe|form)\b/i)
      expect(text).toContain('href="/api/1.0/docs"')
    }
  })

  it('answers programs as any address that is none', async () => {
    for (const accept of ['Accept: application/json', 'Accept: */*', 'Accept:']) {
      const text = curl('--header', accept)
      expect(text).toMatch(/^HTTP\/[\d.]+ 404/)
      expect(text).toContain('"ERRORCODES"')
    }
    expect(curl('--header', browser, '--request', 'POST')).toMatch(/^HTTP\/[\d.]+ 404/)
  })

  it('is recorded as every call', () => {
    curl('--header', browser)
    expect(appliance.trail.join('')).toContain('"operation":"docs.front"')
  })

  it('is drawn by a browser', () => {
    const profile = mkdtempSync(join(tmpdir(), 'strongroom-chromium-'))
    onTestFinished(() => rmSync(profile, { recursive: true, force: true }))
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--ignore-certificate-errors', '--dump-dom']
    const drawn = execFileSync('chromium', [...flags, `--user-data-dir=${profile}`, root], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 90_000,
    })
    expect(drawn).toContain('<h1>Strongroom</h1>')
  })
})
