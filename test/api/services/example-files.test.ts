import { execFile, execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Service } from '../../../src/features/services/described-service.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { makePair, seconds, signed } from '../../support/assertion-kit.ts'
import type { TestClient } from '../../support/client.ts'
import { commonPki } from '../../support/pki.ts'
import { addCredential, addService, asked, sharedVault } from '../../support/service-kit.ts'
import { makeEmptyToken } from '../../support/token.ts'
import { eventsOf } from '../../support/trail.ts'

/** Runs the files of docs/examples unchanged, except for paths, address and vault. */
const examples = resolve(import.meta.dirname, '../../../docs/examples')
const cluster = 'https://kubernetes.default.svc.cluster.local'
const folder = mkdtempSync(join(tmpdir(), 'strongroom-examples-'))
const run = promisify(execFile)
const exampleOf = (name: string): string => readFileSync(join(examples, name), 'utf8')

let appliance: TestAppliance
let owner: TestUser
let client: TestClient
let service: Service
let vault: string

beforeAll(async () => {
  const pair = await makePair('RS256')
  const jwksFile = join(folder, 'jwks.json')
  writeFileSync(jwksFile, JSON.stringify({ keys: [pair.jwk] }))
  appliance = await TestAppliance.own({ service: { issuers: [{ issuer: cluster, jwksFile }] } })
  owner = await appliance.addUser(['read', 'createVault', 'active'])
  client = await appliance.login(owner)
  service = await addService(appliance, owner)
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'assertion.key')])
  const publicKey = createPublicKey(readFileSync(join(folder, 'assertion.key'))).export({ format: 'jwk' })
  await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey, kid: null })
  const [, audience = ''] = /audience: (\S+?),/.exec(exampleOf('mailer.yaml')) ?? []
  const claims = { sub: `system:serviceaccount:shop:mailer` }
  await addCredential(appliance, service, { ...asked, kind: 'federated', issuer: cluster, claims })
  // After the credentials, because those that the operator adds put memberships on hold.
  vault = await sharedVault(client, service, [{ keys: '*', operations: ['encrypt'] }])
  for (const name of ['mail-form', 'reports'])
    await client.must('POST', `/transparent/${vault}/keys/${name}`, { type: 'aes256-gcm96' })
  const token = { iss: cluster, aud: [audience], ...claims, iat: seconds(), exp: seconds() + 3_600 }
  writeFileSync(join(folder, 'token'), await signed(pair, token))
})
afterAll(() => appliance.close())

/** Names and values of an example, by a pattern with both. */
const settingsIn = (example: string, pattern: RegExp): (readonly [name: string, value: string])[] =>
  [...example.matchAll(pattern)].map(([, name = '', value = '']) => [name, value])

/** The settings with this test's own values. */
function settings(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const own: Readonly<Record<string, string>> = {
    STRONGROOM_URL: appliance.url,
    STRONGROOM_CA: commonPki().ca,
    STRONGROOM_ACCOUNT: service.name,
    STRONGROOM_VAULT: vault,
    STRONGROOM_KEY: join(folder, 'assertion.key'),
    STRONGROOM_JWT: join(folder, 'token'),
  }
  // A setting that this test does not replace stays unchanged.
  return Object.fromEntries(lines.map(([name, value]) => [name, own[name] ?? value]))
}

/** Settings that `strongroom-token` needs in addition to a key. */
const whereTo = [
  ['STRONGROOM_URL', ''],
  ['STRONGROOM_CA', ''],
  ['STRONGROOM_ACCOUNT', ''],
] as const

/** Settings that `strongroom-encrypt` needs. */
const keyed = [...whereTo, ['STRONGROOM_VAULT', ''], ['STRONGROOM_KEY', '']] as const

async function shell(command: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const env = { ...environment, PATH: `${examples}:${process.env['PATH'] ?? ''}` }
  return (await run('/bin/sh', ['-c', command], { env })).stdout.trim()
}

async function opened(key: string, ciphertext: string): Promise<string> {
  const { CALLINFO } = await client.must('POST', `/transparent/${vault}/decrypt/${key}`, { ciphertext })
  return Buffer.from(String(CALLINFO['plaintext']), 'base64').toString()
}

describe('docs/examples', () => {
  it('mail-form.service: the key is a credential that systemd hands over', async () => {
    const unit = exampleOf('mail-form.service')
    expect(unit).toMatch(/^LoadCredential=assertion\.key:/m)
    expect(unit).toContain('Environment=STRONGROOM_KEY=%d/assertion.key')
    const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(unit) ?? []
    const state = join(folder, 'mail-form')
    mkdirSync(state)
    writeFileSync(join(state, 'form.txt'), 'Dear Sir or Madam\n')
    const lines = settingsIn(unit, /^Environment=(\w+)=(.*)$/gm)
    await shell(command, { ...settings(lines), STATE_DIRECTORY: state })
    expect(await opened('mail-form', readFileSync(join(state, 'form.enc'), 'utf8').trim())).toBe('Dear Sir or Madam\n')
  })

  it('nightly-report.cron: its settings and its command', async () => {
    const table = exampleOf('nightly-report.cron')
    const lines = settingsIn(table, /^(STRONGROOM_\w+)=(.*)$/gm)
    const [, command = ''] = /^\d+ \d+ \* \* \* \S+ (.+)$/m.exec(table) ?? []
    const report = join(folder, 'report.enc')
    await shell(command.replace('/var/lib/nightly-report/report.enc', report), settings(lines))
    expect(await opened('reports', readFileSync(report, 'utf8').trim())).toContain('Use%')
  })

  it('mailer.yaml: the token of the Pod, for the audience that it asks for', async () => {
    const manifest = exampleOf('mailer.yaml')
    const lines = settingsIn(manifest, /\{ name: (\w+), value: "(.*)" \}/g)
    const [, mount] = /mountPath: (\S+), readOnly/.exec(manifest) ?? []
    const [, path] = /path: (\w+) \}/.exec(manifest) ?? []
    expect(new Map(lines).get('STRONGROOM_JWT')).toBe(`${mount}/${path}`)
    const command = JSON.parse(/command: (\[.+\])/.exec(manifest)?.[1] ?? '[]') as string[]
    expect(command.slice(0, 2)).toEqual(['/bin/sh', '-c'])
    const ciphertext = await shell(command[2] ?? '', settings(lines))
    expect(await opened('mail-form', ciphertext)).not.toBe('')
  })

  it('strongroom-encrypt: bytes that are no text', async () => {
    const ciphertext = await shell(String.raw`printf 'a\377\376\000b' | strongroom-encrypt mail-form`, settings(keyed))
    const { CALLINFO } = await client.must('POST', `/transparent/${vault}/decrypt/mail-form`, { ciphertext })
    expect(Buffer.from(String(CALLINFO['plaintext']), 'base64').toString('hex')).toBe('61fffe0062')
  })

  it('strongroom-encrypt: as much as its first lines say', async () => {
    expect(
      await shell(`head --bytes 1500K /dev/zero | strongroom-encrypt mail-form | cut -c1-11`, settings(keyed)),
    ).toMatch(/^service:v1:/)
    await expect(shell(`head --bytes 1537K /dev/zero | strongroom-encrypt mail-form`, settings(keyed))).rejects.toThrow(
      'larger than',
    )
  })

  it('strongroom-token: an RSA key that a PKCS#11 token holds and that never leaves it', async () => {
    const token = makeEmptyToken()
    const pin = readFileSync(token.pinFile, 'utf8').trim()
    const env = { SOFTHSM2_CONF: token.softhsmConf, STRONGROOM_PIN: pin }
    const label = decodeURIComponent(/token=([^;?]+)/.exec(token.tokenUri)?.[1] ?? '')
    const pkcs11 = ['--module', token.module, '--token-label', label, '--label', 'mail-form']
    const atToken = (...args: string[]) =>
      run('pkcs11-tool', [...pkcs11, '--login', '--pin', 'env:STRONGROOM_PIN', ...args], {
        env: { ...process.env, ...env },
      })
    await atToken('--keypairgen', '--key-type', 'rsa:2048')
    const pub = join(folder, 'public.der')
    await atToken('--read-object', '--type', 'pubkey', '--output-file', pub)
    const key = createPublicKey({ key: readFileSync(pub), format: 'der', type: 'spki' }).export({ format: 'jwk' })
    await addCredential(appliance, service, { ...asked, name: 'token', kind: 'jwt', publicKey: key, kid: null })
    const printed = await shell('strongroom-token', {
      ...settings(whereTo),
      ...env,
      STRONGROOM_MODULE: token.module,
      STRONGROOM_TOKEN_LABEL: label,
      STRONGROOM_KEY_LABEL: 'mail-form',
    })
    await appliance.client(printed).must('GET', '/auth/check')
    token.cleanup()
  })

  it('strongroom-token: fails after an empty answer, as of a proxy, and one that is no JSON', async () => {
    const { certificate, key } = commonPki()
    const bodies = ['', '<html></html>']
    const proxy = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (_, answer) =>
      answer.writeHead(502).end(bodies.shift()),
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void proxy.close())
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const env = { ...settings(keyed), STRONGROOM_URL: `https://127.0.0.1:${port}` }
    for (const _ of ['', ''])
      await expect(shell('strongroom-token', env)).rejects.toMatchObject({ stderr: 'no answer of Strongroom\n' })
    expect(bodies).toEqual([])
  })

  it('strongroom-token: asks for no login where its key cannot be read', async () => {
    const attempts = () => eventsOf(appliance).filter(({ operation }) => operation === 'auth.login').length
    const before = attempts()
    const env = { ...settings(keyed), STRONGROOM_KEY: join(folder, 'none') }
    await expect(shell('strongroom-token', env)).rejects.toMatchObject({ stdout: '' })
    expect(attempts()).toBe(before)
  })

  it('strongroom-token: fails with what the appliance says, and prints no token', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const other = join(folder, 'other.key')
    writeFileSync(other, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    await expect(shell('strongroom-token', { ...settings(whereTo), STRONGROOM_KEY: other })).rejects.toMatchObject({
      code: expect.any(Number),
      stdout: '',
      stderr: expect.stringContaining('The login failed'),
    })
  })
})

describe('README.md', () => {
  it('By hand: its lines log in, encrypt, read the key and log out, with curl alone', async () => {
    const trial = join(folder, 'trial')
    mkdirSync(join(trial, 'tls'), { recursive: true })
    copyFileSync(commonPki().ca, join(trial, 'tls/ca.pem'))
    const { username, passphrase, totpSecret } = owner
    const { port } = new URL(appliance.url)
    const credentials = { passphrase, totpSecret, applicationKey: appliance.applicationKey }
    writeFileSync(join(trial, 'strongroom.json'), JSON.stringify({ http: { port: Number(port) } }))
    writeFileSync(join(trial, 'demo-credentials.json'), JSON.stringify(credentials))
    const readme = readFileSync(join(examples, '../../README.md'), 'utf8')
    const lines = (/^## By hand[^]*?```\n([^]*?)```/m.exec(readme)?.[1] ?? '')
      .replace('~/strongroom-trial', trial)
      .replace('"admin"', JSON.stringify(username))
      .replaceAll('/transparent/1/', `/transparent/${vault}/`)
    const [token = '', ...answers] = (await run('bash', ['-eu', '-c', lines])).stdout.trim().split('\n')
    expect(token).toMatch(/^\w{42}$/)
    expect(answers.map((answer) => JSON.parse(answer).CALLINFO.status)).toEqual(Array(4).fill('SUCCESS'))
    expect(await opened('greeting', JSON.parse(answers[1] ?? '').CALLINFO.ciphertext)).toBe('hello')
  })
})
