import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { twoWorkers, type TestUser } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import { ClientCa, cardExtensions, openssl, pemOf, selfSigned, type Card } from '../../support/client-pki.ts'
import { CardAppliance } from './card-kit.ts'
import { rawSeal } from '../../support/raw-seal.ts'

const names = '/C=SE/O=Example/CN=Alice Example'
const root = new ClientCa('/CN=Root CA/O=Example')
const ca = new ClientCa('/CN=Card CA/O=Example', root)
/** The attacker's CAs, with the same names as the real ones. */
const strangerRoot = new ClientCa('/CN=Root CA/O=Example')
const strangerCa = new ClientCa('/CN=Card CA/O=Example', strangerRoot)
const pretenders: ClientCa[] = []

let cards: CardAppliance
let card: Card
let user: TestUser

beforeAll(async () => {
  for (const authority of [root, ca]) authority.writeCrl()
  cards = await CardAppliance.start(
    {
      clientCa: root.certificate,
      intermediates: ca.certificate,
      crls: [root.crl, ca.crl],
    },
    twoWorkers,
  )
  card = ca.issue(names)
  user = await cards.holder(card)
})
afterAll(() => cards.close())

/** Stores a certificate as the appliance would, without the checks of a registration. */
async function plant(holder: TestUser, planted: Card): Promise<void> {
  const { encodeRecord } = await import('../../../src/hsm/key-record.ts')
  const der = Buffer.from(pemOf(planted).replaceAll(/-----[^-]*-----|\s/g, ''), 'base64')
  const fingerprint = execFileSync('sha256sum', { input: der, encoding: 'utf8' }).slice(0, 64)
  const seal = rawSeal(cards.appliance.token, encodeRecord(['user certificate', holder.id, fingerprint, der]))
  await cards.appliance.sql(
    `INSERT INTO user_certificates (user_id, fingerprint, der, seal, created_at)
       VALUES (${holder.id}, '${fingerprint}', '${der.toString('base64')}', '${seal.toString('base64')}', 0)`,
  )
}

const without = (start: string) => cardExtensions.filter((line) => !line.startsWith(start))

/**
 * Unfit certificates. Each is itself registered, so that it is refused only for its defect. Its issuer is trusted
 * unless that is the defect.
 */
const unfit: readonly (readonly [what: string, card: () => Card, reason: RegExp])[] = [
  ['expired', () => ca.issue(names, { validFromMs: -7_200_000, validForMs: 3_600_000 }), /expired/],
  ['not yet valid', () => ca.issue(names, { validFromMs: 3_600_000 }), /not yet valid/],
  [
    'for servers',
    () => ca.issue(names, { extensions: [...without('extended'), 'extendedKeyUsage=serverAuth'] }),
    /not for clientAuth/,
  ],
  ['for nothing in particular', () => ca.issue(names, { extensions: without('extended') }), /not for clientAuth/],
  [
    'of a CA',
    () => ca.issue(names, { extensions: ['basicConstraints=CA:TRUE', 'extendedKeyUsage=clientAuth'] }),
    /of a CA/,
  ],
  ['self-signed, with the same subject', () => selfSigned(ca.directory, names), /of no configured CA/],
  ['of a foreign CA with the same names', () => strangerCa.issue(names), /of no configured CA/],
  ['issued by another card', () => issuedByCard(), /of no configured CA/],
  ['revoked', () => revoked(), /revoked/],
]

/** A certificate issued by the holder of a card. */
function issuedByCard(): Card {
  const pretender = new ClientCa('/CN=A card/O=Example', ca, cardExtensions)
  pretenders.push(pretender)
  return pretender.issue(names)
}

function revoked(): Card {
  const one = ca.issue(names)
  ca.revoke(one)
  ca.writeCrl()
  return one
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('over %s', (version) => {
  const tls = { minVersion: version, maxVersion: version } as const

  it('a good card passes', async () => {
    const client = cards.holding(card, tls)
    expect((await client.get('/authinfo/smcuser')).json.CALLINFO['username']).toBe(user.username)
    expect((await client.post('/auth', cards.credentials(user))).status).toBe(200)
  })

  it.each(unfit)('a registered card that is %s does not', async (_what, make, reason) => {
    const holder = await cards.appliance.addUser()
    const bad = make()
    await plant(holder, bad)
    const client = cards.holding(bad, tls)
    expectFault(await client.get('/authinfo/smcuser'), 401, 1740)
    expectFault(await client.post('/auth', cards.credentials(holder)), 403, 1201)
    expect(lastRecord('authinfo.smcuser')).toMatch(reason)
  })

  it('a look-alike that is not registered does not, whoever issued it', async () => {
    for (const other of [ca.issue(names), strangerCa.issue(names), selfSigned(ca.directory, names)]) {
      const client = cards.holding(other, tls)
      expectFault(await client.get('/authinfo/smcuser'), 401, 1740)
      expectFault(await client.post('/auth', cards.credentials(user)), 403, 1201)
    }
  })

  it('the registered certificate as an extra one in the chain does not', async () => {
    const mine = strangerCa.issue('/CN=Mallory')
    const chain = [mine, card, ca].map(pemOf).join('')
    const client = cards.holding(mine, { ...tls, cert: chain })
    expectFault(await client.get('/authinfo/smcuser'), 401, 1740)
    expectFault(await client.post('/auth', cards.credentials(user)), 403, 1201)
  })

  it('the registered certificate without its key does not get past the handshake', async () => {
    const mine = ca.issue('/CN=Mallory')
    const { stdout } = sClient([
      '-cert',
      card.certificate,
      '-key',
      mine.key,
      `-${version === 'TLSv1.2' ? 'tls1_2' : 'tls1_3'}`,
    ])
    expect(stdout).not.toContain('SUCCESS')
  })

  it('a session is not resumed, and a ticket from before a revocation opens nothing', async () => {
    const one = ca.issue('/CN=Resumer')
    const holder = await cards.holder(one)
    const first = await dial(one, tls)
    expect((await ask(first.socket)).status).toBe(200)
    const session = first.session() ?? first.socket.getSession()
    ca.revoke(one)
    ca.writeCrl()
    // With the card, and without one, which a resumed session would replace. Some of them reach the worker that issued
    // the ticket.
    for (const shown of [one, one, one, one, undefined, undefined, undefined, undefined]) {
      const { socket } = await dial(shown, { ...tls, ...(session && { session }) })
      expect(socket.isSessionReused()).toBe(false)
      expect((await ask(socket)).status).toBe(401)
      socket.destroy()
    }
    expectFault(await cards.holding(undefined).post('/auth', cards.credentials(holder)), 403, 1201)
  })

  it('openssl s_client finds nothing to resume', () => {
    const file = join(cards.appliance.directory, `session-${version}`)
    const flag = version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3'
    const first = sClient(['-cert', card.certificate, '-key', card.key, flag, '-sess_out', file])
    expect(first.stdout).toContain(user.username)
    for (let tries = 0; tries < 4; tries++) {
      const again = sClient(['-cert', card.certificate, '-key', card.key, flag, '-sess_in', file])
      expect(again.stdout).toMatch(/^New, TLS/m)
    }
  })
})

describe('an open connection is no privilege', () => {
  const changes: readonly (readonly [string, (holder: TestUser, one: Card) => unknown])[] = [
    ['the card is revoked', (_holder, one) => (ca.revoke(one), ca.writeCrl())],
    ['the registration is removed', (holder) => cards.admin.must('DELETE', `/usercert/${holder.id}`)],
    ['another card takes its place', (holder) => cards.register(holder, ca.issue('/CN=Next'))],
    [
      'the user is disabled',
      (holder) => cards.appliance.services.users.disable(holder.username, cards.appliance.commit),
    ],
  ]
  it.each(changes)('when %s', async (_what, change) => {
    const one = ca.issue('/CN=Stayer')
    const holder = await cards.holder(one)
    const { socket } = await dial(one, {})
    expect((await ask(socket)).status).toBe(200)
    await change(holder, one)
    expect((await ask(socket)).status).toBe(401)
    expect((await ask(socket, 'POST', '/auth', cards.credentials(holder))).status).toBe(403)
    socket.destroy()
  })

  it('the card is refused once its certificate is removed, over HTTP/2 as well', async () => {
    const one = ca.issue('/CN=Stayer')
    const holder = await cards.holder(one)
    const session = connectHttp2(new URL(cards.url).origin, { ...identity(one), ca: cards.appliance.ca })
    const status = () =>
      new Promise<number>((resolve, reject) => {
        const stream = session.request({ ':path': '/api/1.0/authinfo/smcuser' })
        stream.once('response', (headers) => resolve(Number(headers[':status'])))
        stream.once('error', reject)
        stream.resume()
      })
    expect(await status()).toBe(200)
    await cards.admin.must('DELETE', `/usercert/${holder.id}`)
    expect(await status()).toBe(401)
    session.close()
  })

  it('and a renegotiation with another card (TLS 1.2) is refused', () => {
    const { stdout, stderr } = sClient(['-cert', card.certificate, '-key', card.key, '-tls1_2'], 'R\n')
    expect(stdout + stderr).toContain('no renegotiation')
  })
})

describe('a forwarded certificate', () => {
  const headers: readonly (readonly [string, () => string])[] = [
    ['Client-Cert', () => `:${pemOf(card).replaceAll(/-----[^-]*-----|\s/g, '')}:`],
    ['Client-Cert-Chain', () => 'anything'],
    ['client-cert', () => encodeURIComponent(pemOf(card))],
    ['Client-Cert', () => ''],
  ]
  it.each(headers)('in %s from anywhere is refused, on both listeners and for every call', async (name, value) => {
    for (const client of [cards.appliance.client(), cards.holding(undefined), cards.holding(ca.issue('/CN=Mallory'))])
      for (const path of ['/authinfo/smcuser', '/authinfo/logintypes', '/vault'])
        expectFault(await client.get(path, { headers: { [name]: value() } }), 403, 1744)
    const forged = cards.appliance.client()
    expectFault(
      await forged.call('POST', '/auth', { body: cards.credentials(user), headers: { [name]: value() } }),
      403,
      1744,
    )
    expect(lastRecord('auth.login')).toContain('"outcome":"certificate.forwarded"')
  })
})

describe('revocation lists', () => {
  it('of every CA are asked for: one that is missing, expired or forged refuses its cards', async () => {
    const broken: readonly (readonly [string, () => void])[] = [
      ['expired', () => ca.writeCrl(7, '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200108000000Z')],
      [
        'of the stranger with the same name',
        () => {
          strangerCa.writeCrl()
          writeFileSync(ca.crl, readFileSync(strangerCa.crl))
        },
      ],
    ]
    for (const [what, breakIt] of broken) {
      breakIt()
      expectFault(await cards.holding(card).get('/authinfo/smcuser'), 401, 1740)
      expect(lastRecord('authinfo.smcuser'), what).toMatch(/revocation list/)
      ca.writeCrl()
      expect((await cards.holding(card).get('/authinfo/smcuser')).status).toBe(200)
    }
  })

  it('that can no longer be read stay in force as they were, and the journal says so', async () => {
    const one = revoked()
    const holder = await cards.appliance.addUser()
    await plant(holder, one)
    writeFileSync(ca.crl, '-----BEGIN X509 CRL-----\nhalf')
    expectFault(await cards.holding(one).get('/authinfo/smcuser'), 401, 1740)
    expect((await cards.holding(card).get('/authinfo/smcuser')).status).toBe(200)
    expect(cards.appliance.journal).toContain('cannot be used, so what it held before stays in force')
    ca.writeCrl()
  })

  it('may be DER', async () => {
    openssl('crl', '-in', ca.crl, '-outform', 'DER', '-out', `${ca.crl}.der`)
    writeFileSync(ca.crl, readFileSync(`${ca.crl}.der`))
    expect((await cards.holding(card).get('/authinfo/smcuser')).status).toBe(200)
    ca.writeCrl()
  })

  it('refuse everything below a revoked CA', async () => {
    const other = new ClientCa('/CN=Second card CA/O=Example', root)
    writeFileSync(ca.certificate, pemOf(ca) + pemOf(other))
    const below = other.issue('/CN=Below')
    const holder = await cards.appliance.addUser()
    await plant(holder, below)
    root.revoke(other)
    root.writeCrl()
    expectFault(await cards.holding(below).get('/authinfo/smcuser'), 401, 1740)
  })
})

/** The last audit record of an operation in any chain. */
function lastRecord(operation: string): string {
  return (
    cards.appliance.trail
      .flatMap((text) => text.split('\n').filter((line) => line.includes(`"operation":"${operation}"`)))
      .toSorted((one, other) => atOf(one) - atOf(other))
      .at(-1) ?? ''
  )
}

const atOf = (line: string): number => Number(/"at":(\d+)/.exec(line)?.[1] ?? 0)

const identity = (one: Card) => ({ cert: readFileSync(one.certificate), key: readFileSync(one.key) })

const port = () => Number(new URL(cards.url).port)

/** Opens a TLS connection. Resolves to it and to its last session. */
function dial(
  one: Card | undefined,
  tls: ConnectionOptions,
): Promise<{ socket: TLSSocket; session: () => Buffer | undefined }> {
  return new Promise((resolve, reject) => {
    let session: Buffer | undefined
    const options = { port: port(), host: '127.0.0.1', ca: cards.appliance.ca, ALPNProtocols: ['http/1.1'] }
    const socket = connect({ ...options, ...(one && identity(one)), ...tls })
    socket.on('session', (given) => (session = given))
    socket.once('error', reject)
    socket.once('secureConnect', () => resolve({ socket, session: () => session }))
  })
}

/** Makes a call over an open connection. */
function ask(
  socket: TLSSocket,
  method = 'GET',
  path = '/authinfo/smcuser',
  body?: object,
): Promise<{ status: number }> {
  const text = body === undefined ? '' : JSON.stringify(body)
  socket.write(`${method} /api/1.0${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  return new Promise((resolve, reject) => {
    let received = ''
    const hear = (piece: Buffer): void => {
      received += piece.toString('latin1')
      const length = Number(/^content-length: (\d+)\r?$/im.exec(received)?.[1] ?? Number.NaN)
      const [head = '', answer] = received.split('\r\n\r\n')
      if (answer === undefined || answer.length < length) return
      socket.off('data', hear)
      resolve({ status: Number(head.split(' ')[1]) })
    }
    socket.on('data', hear)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`closed after: ${received}`)))
  })
}

/** The output of `openssl s_client` for a call with these options. */
function sClient(args: readonly string[], typed?: string): { stdout: string; stderr: string } {
  const call = 'GET /api/1.0/authinfo/smcuser HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  const fixed = ['s_client', '-connect', `127.0.0.1:${port()}`, '-ign_eof', ...args]
  const { stdout, stderr } = spawnSync(
    'openssl',
    typed === undefined ? fixed : fixed.filter((arg) => arg !== '-ign_eof'),
    {
      input: typed ?? call,
      encoding: 'utf8',
      timeout: 60_000,
    },
  )
  return { stdout, stderr }
}
