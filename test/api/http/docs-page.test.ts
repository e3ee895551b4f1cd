import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { curl } from '../../support/wire.ts'

const run = promisify(execFile)

const appliance = applianceForTests()
let user: TestUser
let vault: TestVault
let head: string
let page: string
let folder: string

beforeAll(async () => {
  user = await appliance.addUser()
  vault = await makeVault(appliance, 'Web shop', await appliance.login(user))
  const answer = await curl(appliance, '/docs', '--http1.1')
  const end = answer.indexOf('\r\n\r\n')
  head = answer.slice(0, end)
  page = answer.slice(end + 4)
  folder = mkdtempSync(join(tmpdir(), 'docs-page-'))
  writeFileSync(join(folder, 'ca.pem'), appliance.ca)
  writeFileSync(join(folder, 'card.pem'), appliance.ca)
})

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** A text of the page, as a reader would copy it. */
function copied(name: string, from = 0): string {
  const start = page.indexOf(`<pre class="${name}"><code>`, from)
  const text = page.slice(page.indexOf('<code>', start) + 6, page.indexOf('</code>', start))
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')
}

const programs = {
  curl: ['bash', '-c'],
  node: ['node', '--input-type=module', '-e'],
  python: ['python3', '-c'],
} as const

async function outputOf(language: keyof typeof programs, text: string): Promise<string> {
  const [program, ...options] = programs[language]
  const { stdout } = await run(program, [...options, text], {
    cwd: folder,
    env: {
      ...process.env,
      STRONGROOM: vault.admin.base.replace('/api/1.0', ''),
      TOKEN: vault.admin.token,
      CURL_CA_BUNDLE: join(folder, 'ca.pem'),
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      REQUESTS_CA_BUNDLE: join(folder, 'ca.pem'),
    },
  })
  return stdout
}

describe('the page of the interface', () => {
  it('runs one script of its own, which the policy names by its hash, and takes nothing from elsewhere', () => {
    const hashOf = (element: string): string => {
      const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(page)?.[1] ?? ''
      expect(text.length).toBeGreaterThan(100)
      return `${element}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }
    expect(head).toContain(`Content-Security-Policy: default-src 'none'; ${hashOf('style')}; ${hashOf('script')};`)
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<[^>]*\s(on[a-z]+|src|style)=|javascript:|<(img|link|iframe|form)\b|url\(|@import/i)
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => address)
    expect(links.filter((address) => !address.startsWith('#'))).toEqual(['openapi.json'])
  })

  it('leads everywhere it says: every link has its place', () => {
    const places = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, place]) => place))
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, place]) => place)
    expect(links.length).toBeGreaterThan(100)
    expect(links.filter((place) => !places.has(place))).toEqual([])
  })

  it('has a quick start that works as it stands, with the values of a user', async () => {
    const text = copied('start')
      .replace(/^export STRONGROOM=.*$/m, '')
      .replace('alice', user.username)
      .replace('correct horse battery staple', user.passphrase)
      .replace('f3K9mQ2xT7bWn5Rz8LpV4cY6', appliance.applicationKey)
      .replace('287082', totpCode(user.totpSecret))
    expect(await outputOf('curl', text)).toContain('"ciphertext":"service:v1:')
  })

  it.each(
    (['transparent.encrypt', 'vault.list', 'utils.pwgen', 'file.collect', 'vault.create'] as const).flatMap(
      (operation) => (['curl', 'node', 'python'] as const).map((language) => [operation, language] as const),
    ),
  )('has an example of %s for %s that works, with the id of a vault', async (operation, language) => {
    const text = copied(language, page.indexOf(`<article aria-labelledby="${operation}"`)).replace(
      '/17/',
      `/${vault.id}/`,
    )
    expect(await outputOf(language, text)).toMatch(/status['"]?: ?['"]SUCCESS/)
  })
})
