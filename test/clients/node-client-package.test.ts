import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { makeVault } from '../support/vault.ts'
import { personOf } from './node-client-kit.ts'

const root = resolve(import.meta.dirname, '../..')
const source = join(root, 'clients/node')

const appliance = applianceForTests()
/** A program's folder, where the package is installed as npm packs it. */
let folder: string
const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  const staged = join(folder, 'staged')
  run('cp', '-r', `${source}/.`, staged)
  run('rm', '-rf', join(staged, 'dist'))
  run(join(root, 'node_modules/.bin/tsc'), '-p', source, '--outDir', join(staged, 'dist'))
  run('npm', 'pack', '--silent', '--pack-destination', folder, staged)
  const place = join(folder, 'node_modules/@strongroom/client')
  mkdirSync(place, { recursive: true })
  run('tar', '-xzf', 'strongroom-client-0.1.0.tgz', '--strip-components=1', '-C', place)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rmSync(folder, { recursive: true }))

const readme = (): string => readFileSync(join(source, 'README.md'), 'utf8')

describe('the package @strongroom/client', () => {
  it('holds what is compiled, its README and nothing else', () => {
    const names = run('tar', '-tzf', 'strongroom-client-0.1.0.tgz').trim().split('\n')
    expect(
      names.filter((name) => !/^package\/(dist\/[a-z0-9-]+\.(js|d\.ts)|package\.json|README\.md)$/.test(name)),
    ).toEqual([])
    expect(names).toContain('package/dist/main.js')
  })

  it('runs the ten lines at the top of its README', async () => {
    const user = await appliance.addUser()
    const { id } = await makeVault(appliance, 'Customers', await appliance.login(user))
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ ...personOf(appliance, user), totpSecret: user.totpSecret }),
    )
    writeFileSync(join(folder, 'ca.pem'), appliance.ca)
    const [, lines = ''] = /```js\n([^]*?)```/.exec(readme()) ?? []
    expect(lines.trim().split('\n').length).toBeLessThanOrEqual(10)
    const own = lines
      .replace('https://vault.example.com', new URL(appliance.url).origin)
      .replace('client.key(8,', `client.key(${id},`)
    writeFileSync(join(folder, 'lines.js'), `${own}\nclient.close()\n`)
    expect(run(process.execPath, 'lines.js')).toBe('4111 1111 1111 1111\n')
  })

  it('keeps no program running for a call that was cancelled between two tries', () => {
    const program = `
      import { createFakeAppliance } from '@strongroom/client/fake'
      const fake = createFakeAppliance()
      const stop = new AbortController()
      fake.fail('vault.list', 'hsm.unavailable', { retryAfterSeconds: 86_400 })
      setTimeout(() => stop.abort('enough'), 100)
      await fake.client({ longestDelayMs: 1e9 }).call('vault.list', {}, { signal: stop.signal }).catch(console.log)`
    writeFileSync(join(folder, 'cancelled.js'), program)
    // Without the timeout, a program that waits for its next try would end after a day.
    const options = { cwd: folder, encoding: 'utf8', timeout: 60_000 } as const
    expect(execFileSync(process.execPath, ['cancelled.js'], options)).toBe('enough\n')
  })

  it('has types that a program for browsers compiles with, and one for Node.js', () => {
    const compile = (name: string, text: string, ...options: string[]): void => {
      writeFileSync(join(folder, name), text)
      const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', ...options]
      run(join(root, 'node_modules/.bin/tsc'), '--ignoreConfig', ...strict, name)
    }
    const use = `
      import { createClient, NotFoundError, type Client } from '@strongroom/client'
      export async function read(client: Client): Promise<string> {
        const { VAULTS } = await client.call('vault.list')
        const name: string | undefined = VAULTS[0]?.groupname
        // @ts-expect-error the vault is missing
        await client.call('transparent.encrypt', { params: { name: 'k' }, body: { plaintext: '' } })
        return name ?? await client.key(1, 'k').decryptText('x').catch((error) => error instanceof NotFoundError ? '' : '?')
      }
      export const client = createClient({ url: 'https://vault.example.com', token: '' })`
    compile(
      'browser.ts',
      use,
      '--module',
      'preserve',
      '--moduleResolution',
      'bundler',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    )
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const forNode = `${use}\nimport { nodeTransport } from '@strongroom/client/node'\nexport const transport = nodeTransport({ ca: '' })`
    compile('program.ts', forNode, '--module', 'nodenext', '--lib', 'es2022', '--skipLibCheck', ...types)
  })
})
