import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { repeatable } from '../../clients/node/src/retry.ts'
import { makeVault } from '../support/vault.ts'
import { clientFolder, personOf, python, testFolder } from './python-client-kit.ts'

const appliance = applianceForTests()
/** Where the package is installed as its wheel has it, and a program lies. */
let folder: string
let wheel: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  const staged = join(folder, 'staged')
  cpSync(clientFolder, staged, { recursive: true, filter: (path) => !path.includes('__pycache__') })
  const build = 'import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])'
  execFileSync('/usr/bin/python3', ['-c', build, folder], { cwd: staged, stdio: 'pipe' })
  wheel = join(folder, readdirSync(folder).find((name) => name.endsWith('.whl')) ?? '')
  python(['-m', 'zipfile', '-e', wheel, join(folder, 'installed')])
})
afterAll(() => rmSync(folder, { recursive: true }))

const readme = (): string => readFileSync(join(clientFolder, 'README.md'), 'utf8')

describe('the package strongroom-client', () => {
  it('holds the modules, the mark that they are typed, and nothing else', () => {
    const names = python(['-m', 'zipfile', '-l', wheel])
      .split('\n')
      .flatMap((line) => /^(\S+)\s+\d{4}-/.exec(line)?.[1] ?? [])
    const modules = readdirSync(join(clientFolder, 'strongroom')).filter((name) => name !== '__pycache__')
    expect(names.filter((name) => !name.includes('.dist-info/')).toSorted()).toEqual(
      modules.map((name) => `strongroom/${name}`).toSorted(),
    )
    expect(modules).toContain('py.typed')
  })

  it('runs the ten lines at the top of its README', async () => {
    const user = await appliance.addUser()
    const { id } = await makeVault(appliance, 'Customers', await appliance.login(user))
    writeFileSync(
      join(folder, 'credentials.json'),
      JSON.stringify({ ...personOf(appliance, user), totp_secret: user.totpSecret }),
    )
    writeFileSync(join(folder, 'ca.pem'), appliance.ca)
    const [, lines = ''] = /```python\n([^]*?)```/.exec(readme()) ?? []
    expect(lines.trim().split('\n').length).toBeLessThanOrEqual(10)
    const own = lines
      .replace('https://vault.example.com', new URL(appliance.url).origin)
      .replace('client.key(8,', `client.key(${id},`)
    writeFileSync(join(folder, 'lines.py'), own)
    const env = { ...process.env, PYTHONPATH: join(folder, 'installed') }
    const said = execFileSync('/usr/bin/python3', ['lines.py'], { cwd: folder, env, encoding: 'utf8' })
    expect(said).toBe('4111 1111 1111 1111\n')
  })

  it('holds no type that mypy --strict refuses, for Python 3.9', () => {
    const check = (place: string, files: readonly string[]): string => {
      const env = { ...process.env, MYPYPATH: clientFolder }
      const options = ['--strict', '--python-version', '3.9', '--cache-dir', join(folder, 'mypy')]
      return execFileSync('/usr/bin/mypy', [...options, ...files], { cwd: place, env, encoding: 'utf8' })
    }
    expect(check(clientFolder, ['strongroom'])).toContain('Success')
    const tests = readdirSync(testFolder).filter((name) => name.endsWith('.py'))
    expect(check(testFolder, tests)).toContain('Success')
    const examples = join(clientFolder, 'examples')
    const programs = readdirSync(examples).filter((name) => name.endsWith('.py'))
    // Debian has no types of psycopg2.
    expect(check(examples, ['--ignore-missing-imports', ...programs])).toContain('Success')
  }, 300_000)

  it('repeats what the client for Node.js repeats', () => {
    const said = python(['-c', 'import json, strongroom; print(json.dumps(dict(strongroom.REPEATABLE)))'])
    expect(JSON.parse(said)).toEqual(repeatable)
  })
})
