import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import type { Ran } from '../support/machine-process.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { makeVault } from '../support/vault.ts'
import { applicationOf, examplesFolder, runExample, type Environment } from './examples-kit.ts'

const appliance = applianceForTests()
let folder: string
let owner: { appliance: TestAppliance; user: TestUser; client: TestClient; vault: string; folder: string }

beforeAll(async () => {
  folder = examplesFolder()
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const { id: vault } = await makeVault(appliance, 'Applications', client)
  owner = { appliance, user, client, vault, folder }
  for (const [name, type] of [['cards'], ['backups'], ['log', 'ecdsa-p256']] as const)
    await client.must('POST', `/transparent/${vault}/keys/${name}`, type === undefined ? {} : { type })
})
afterAll(() => rmSync(folder, { recursive: true }))

const linesOf = ({ status, stdout, stderr }: Ran): string[] => {
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout.trim().split('\n')
}

it('are of sixty lines at most', () => {
  const programs = readdirSync(folder).filter((name) => /\.(js|py)$|^verify-log$/.test(name))
  expect(programs).toHaveLength(8)
  for (const name of programs)
    expect(readFileSync(join(folder, name), 'utf8').trim().split('\n').length, name).toBeLessThanOrEqual(60)
})

describe.runIf(hasPostgres)('an encrypted column', () => {
  let postgres: TestPostgres
  let env: Environment
  let socket: string
  beforeAll(async () => {
    postgres = startPostgres()
    const url = new URL(postgres.url)
    socket = url.searchParams.get('host') ?? ''
    sql('CREATE TABLE customer (id uuid PRIMARY KEY, name text NOT NULL UNIQUE, card text NOT NULL)')
    const aad = Buffer.from('customer.card:').toString('base64')
    const account = await applicationOf(owner, [
      { keys: 'cards', operations: ['encrypt', 'decrypt'], aad, strict: true },
    ])
    env = { ...account, DATABASE_URL: postgres.url }
  })
  afterAll(() => postgres.cleanup())

  const sql = (text: string): string =>
    execFileSync('psql', ['-h', socket, '-U', 'strongroom', '-Atc', text, 'strongroom'], { encoding: 'utf8' }).trim()
  const run = (...words: string[]): Promise<Ran> => runExample(folder, words, env)
  /** How many items each encryption of this account in the trail had. */
  const encryptions = (): string[] =>
    appliance.trail
      .join('')
      .split('\n')
      .filter((line) => line.includes('"transparent.encrypt"') && line.includes(`"${env['STRONGROOM_ACCOUNT']}"`))
      .map((line) => (JSON.parse(line) as { subject: string }).subject)
  const cards = (lines: readonly string[]): string[] => lines.map((line) => (JSON.parse(line) as { card: string }).card)

  it('is written and read from Node.js and Python, each what the other wrote', async () => {
    const [anna = ''] = linesOf(await run('encrypted-column.js', 'add', 'Anna', '4111 1', 'Bo', '4222 2'))
    linesOf(await run('encrypted_column.py', 'add', 'Cleo', '4333 3', 'Dan', '4444 4'))
    const all = ['4111 1', '4222 2', '4333 3', '4444 4']
    expect(cards(linesOf(await run('encrypted-column.js', 'list')))).toEqual(all)
    expect(cards(linesOf(await run('encrypted_column.py', 'list')))).toEqual(all)
    expect(sql('SELECT card FROM customer').split('\n')).toEqual(all.map(() => expect.stringMatching(/^service:v1:/)))

    linesOf(await run('encrypted-column.js', 'change', anna, '4999 9'))
    expect(cards(linesOf(await run('encrypted_column.py', 'list')))).toEqual(['4999 9', ...all.slice(1)])
  })

  it('encrypts the rows that are saved together in one call', async () => {
    const customers = Array.from({ length: 20 }, (_, at) => [`Eve ${at}`, `${at}`])
    linesOf(await run('encrypted-column.js', 'add', ...customers.flat()))
    expect(encryptions().filter((items) => items === '20 items')).toHaveLength(1)
  })

  it('refuses a value that was moved to another row', async () => {
    sql(`UPDATE customer SET card = (SELECT card FROM customer WHERE name = 'Bo') WHERE name = 'Dan'`)
    for (const program of ['encrypted-column.js', 'encrypted_column.py']) {
      const { status, stdout, stderr } = await run(program, 'list')
      expect(status).not.toBe(0)
      expect(stdout).toBe('')
      expect(stderr).toContain('ciphertext')
    }
  })
})

describe('a backup', () => {
  let saver: Environment
  let restorer: Environment
  beforeAll(async () => {
    saver = await applicationOf(owner, [{ keys: 'backups', operations: ['datakey'] }])
    restorer = await applicationOf(owner, [{ keys: 'backups', operations: ['decrypt'] }])
    const source = join(folder, 'source/deep')
    mkdirSync(source, { recursive: true })
    writeFileSync(join(source, 'large'), Buffer.alloc(5_000_000, 'strongroom'))
    writeFileSync(join(source, 'small'), 'of a customer')
  })
  const run = (env: Environment, ...words: string[]): Promise<Ran> => runExample(folder, ['backup.py', ...words], env)
  const leftOvers = (): string[] => readdirSync(folder).filter((name) => /^\.(restore|strongroom)-/.test(name))

  it('is saved encrypted and restored as it was', async () => {
    linesOf(await run(saver, 'save', 'source', 'one.tar.srs'))
    expect(readFileSync(join(folder, 'one.tar.srs')).includes('strongroomstrongroom')).toBe(false)
    linesOf(await run(restorer, 'restore', 'one.tar.srs', 'restored'))
    execFileSync('diff', ['-r', join(folder, 'source'), join(folder, 'restored')])
  })

  it('is opened neither by the account that saved it nor under another name, and not half', async () => {
    expect((await run(saver, 'restore', 'one.tar.srs', 'theirs')).stderr).toMatch(/PermissionError/)
    const whole = readFileSync(join(folder, 'one.tar.srs'))
    writeFileSync(join(folder, 'two.tar.srs'), whole)
    expect((await run(restorer, 'restore', 'two.tar.srs', 'theirs')).status).toBe(1)
    writeFileSync(join(folder, 'one.tar.srs'), whole.subarray(0, 3_000_000))
    expect((await run(restorer, 'restore', 'one.tar.srs', 'theirs')).status).toBe(1)
    expect(readdirSync(folder)).not.toContain('theirs')
    expect(leftOvers()).toEqual([])
  })

  it('is not there where tar failed', async () => {
    expect((await run(saver, 'save', 'missing', 'three.tar.srs')).stderr).toContain('there is no backup')
    expect(readdirSync(folder)).not.toContain('three.tar.srs')
    expect(leftOvers()).toEqual([])
  })
})

describe('a signed log', () => {
  let env: Environment
  beforeAll(async () => {
    env = await applicationOf(owner, [{ keys: 'log', operations: ['sign'] }])
    const [{ public_key: publicKey } = { public_key: '' }] = (
      await owner.client.must('GET', `/transparent/${owner.vault}/keys/log`)
    )['VERSIONS'] as { public_key: string }[]
    writeFileSync(join(folder, 'log.pem'), publicKey)
  })
  const log = (name: string): string => join(folder, name)
  const verify = (name: string): Promise<Ran> => runExample(folder, ['verify-log', name, 'log.pem'])

  it('is verified by openssl with the public key, and goes on where it ended', async () => {
    linesOf(await runExample(folder, ['signed-log.js', 'app.log'], env, 'started\nsignature service:v1:forged\n'))
    linesOf(await runExample(folder, ['signed-log.js', 'app.log'], env, 'user 4 logged in\nuser 4 left\0\n'))
    linesOf(await runExample(folder, ['signed-log.js', 'app.log'], env, 'stopped\n'))
    expect(linesOf(await verify('app.log'))[0]).toMatch(/^[3-5] signatures are good/)
    expect(readFileSync(log('app.log'), 'utf8')).toMatch(/^\S+Z started\n(.*\n)*\S+Z user 4 left\?\n/)
  })

  it.each([
    ['a line that was changed', (text: string) => text.replace('user 4 left', 'user 5 left')],
    ['a line that was taken out', (text: string) => text.replace(/^.*user 4 logged in\n/m, '')],
    ['a block that was taken out', (text: string) => text.replace(/^(.*user 4.*\n)+(signature.*\n)/m, '')],
    ['the first block taken out', (text: string) => text.replace(/^[^]*?\nsignature.*\n/, '')],
    ['a line at the end that nothing signed', (text: string) => `${text}2027 forged\n`],
  ])('shows %s', async (_, change) => {
    const text = readFileSync(log('app.log'), 'utf8')
    writeFileSync(log('other.log'), change(text))
    expect(change(text)).not.toBe(text)
    expect(await verify('other.log')).toMatchObject({ status: 1, stdout: '' })
  })
})
