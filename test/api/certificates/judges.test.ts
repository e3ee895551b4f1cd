import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { canPickCards, homeWithCard, pickCardFor } from '../../support/browser-card.ts'
import { ClientCa, type Card } from '../../support/client-pki.ts'
import { CardAppliance } from './card-kit.ts'

const ca = new ClientCa()
const directory = mkdtempSync(join(tmpdir(), 'strongroom-judges-'))
const serverCa = join(directory, 'server-ca.pem')
let cards: CardAppliance
let user: TestUser
let card: Card

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
  writeFileSync(serverCa, cards.appliance.ca)
})
afterAll(() => cards.close())

function curl(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): unknown {
  const fixed = ['--silent', '--show-error', '--max-time', '60', '--cacert', serverCa]
  const { stdout, stderr } = spawnSync('curl', [...fixed, ...args, cards.url + path], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  try {
    return JSON.parse(stdout)
  } catch {
    return stdout + stderr
  }
}

const login = () => ['--data', JSON.stringify(cards.credentials(user))]

describe('curl', () => {
  beforeAll(async () => {
    card = ca.issue('/CN=Alice with files')
    user = await cards.holder(card)
  })

  it.each(['--http1.1', '--http2'])('logs in with certificate and key from files (%s)', (protocol) => {
    const identity = ['--cert', card.certificate, '--key', card.key, protocol]
    const named = { CALLINFO: { status: 'SUCCESS', username: user.username } }
    expect(curl('/authinfo/smcuser', identity)).toMatchObject(named)
    expect(curl('/auth', [...identity, ...login()])).toMatchObject(named)
    expect(curl('/authinfo/smcuser', [protocol])).toMatchObject({ CALLINFO: { status: 'FAIL' } })
  })

  it('uploads a certificate as people do', () => {
    const file = `user_cert=@${ca.issue('/CN=Uploaded').certificate}`
    const token = `X-Http-Token: ${cards.admin.token}`
    expect(curl(`/usercert/${user.id}`, ['--header', token, '--form', file])).toMatchObject({
      CALLINFO: { status: 'SUCCESS', handler: 'UserCertHandler' },
    })
  })
})

describe('a key that never leaves its token', () => {
  const label = 'card'
  const pin = '123456'
  const env = { SOFTHSM2_CONF: join(directory, 'softhsm2.conf') }
  const uri = `pkcs11:token=${label};object=${label};type=private;pin-value=${pin}`
  const module = '/usr/lib/softhsm/libsofthsm2.so'

  beforeAll(async () => {
    mkdirSync(join(directory, 'tokens'))
    writeFileSync(
      env.SOFTHSM2_CONF,
      `directories.tokendir = ${join(directory, 'tokens')}\nobjectstore.backend = file\n`,
    )
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { env: { ...process.env, ...env }, stdio: 'pipe' })
    run('softhsm2-util', '--init-token', '--free', '--label', label, '--pin', pin, '--so-pin', pin)
    const tool = ['--module', module, '--token-label', label, '--login', '--pin', pin]
    run('pkcs11-tool', ...tool, '--keypairgen', '--key-type', 'EC:prime256v1', '--id', '01', '--label', label)
    const publicKey = join(directory, 'card.der')
    run('pkcs11-tool', ...tool, '--read-object', '--type', 'pubkey', '--id', '01', '--output-file', publicKey)
    card = ca.issueFor('/CN=Alice with a card', publicKey)
    user = await cards.holder(card)
  })

  it('logs in by curl', () => {
    const identity = ['--engine', 'pkcs11', '--key-type', 'ENG', '--key', uri, '--cert', card.certificate]
    for (const version of [['--tls-max', '1.2'], ['--tlsv1.3']])
      expect(curl('/authinfo/smcuser', [...version, ...identity], env)).toMatchObject({
        CALLINFO: { status: 'SUCCESS', username: user.username },
      })
    expect(curl('/auth', [...identity, ...login()], env)).toMatchObject({ CALLINFO: { status: 'SUCCESS' } })
  })

  it('is recognised by openssl s_client', () => {
    const call = 'GET /api/1.0/authinfo/smcuser HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    const place = ['-connect', new URL(cards.url).host, '-ign_eof', '-quiet', '-CAfile', serverCa]
    const identity = ['-engine', 'pkcs11', '-keyform', 'engine', '-key', uri, '-cert', card.certificate]
    const { stdout } = spawnSync('openssl', ['s_client', ...place, ...identity], {
      input: call,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
    expect(stdout).toContain(`"username":"${user.username}"`)
  })
})

describe.skipIf(!canPickCards)('Chromium', () => {
  let home: string
  let forget = (): void => undefined

  beforeAll(async () => {
    card = ca.issue('/CN=Alice in a browser')
    user = await cards.holder(card)
    home = homeWithCard(directory, card, ca, serverCa)
    forget = pickCardFor(new URL(cards.url).origin, 'judges')
  })
  afterAll(() => forget())

  it('shows the user of the card', () => {
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--virtual-time-budget=20000',
    ]
    const { stdout, stderr } = spawnSync(
      'chromium',
      [...flags, `--user-data-dir=${join(directory, 'profile')}`, '--dump-dom', `${cards.url}/authinfo/smcuser`],
      { encoding: 'utf8', timeout: 90_000, env: { ...process.env, HOME: home } },
    )
    expect(existsSync(join(directory, 'profile'))).toBe(true)
    expect(stdout, stderr.slice(-2000)).toContain(`"username":"${user.username}"`)
  }, 120_000)
})
