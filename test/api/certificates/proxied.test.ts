import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { ClientCa, pemOf, type Card } from '../../support/client-pki.ts'
import { OcspResponder } from '../../support/ocsp-responder.ts'
import { CardAppliance } from './card-kit.ts'

const header = 'X-Client-Cert'
const ca = new ClientCa()
const stranger = new ClientCa()
let cards: CardAppliance
let responder: OcspResponder
let card: Card
let user: TestUser
let revoked: Card

beforeAll(async () => {
  card = ca.issue('/CN=Alice')
  revoked = ca.issue('/CN=Revoked')
  ca.writeCrl()
  responder = await OcspResponder.start(ca)
  // The tests take the place of the proxy, at 127.0.0.1.
  cards = await CardAppliance.start({
    clientCa: ca.certificate,
    crls: [ca.crl],
    ocsp: 'hard',
    ocspResponder: responder.url,
    ocspCacheMs: 1,
    proxies: ['192.0.2.1', '127.0.0.0/24'],
    proxyHeader: header,
  })
  user = await cards.holder(card)
})
afterAll(async () => {
  await cards.close()
  await responder.stop()
})

/** The certificate in the format of nginx ($ssl_client_escaped_cert). */
const escaped = (one: Card) => encodeURIComponent(pemOf(one))
const base64 = (one: Card) => pemOf(one).replaceAll(/-----[^-]*-----|\s/g, '')
/** The certificate in the format of RFC 9440. */
const sequence = (one: Card) => `:${base64(one)}:`

const ask = (value: string, name = header): Promise<Answer> =>
  cards.appliance.client().get('/authinfo/smcuser', { headers: { [name]: value } })

describe('a certificate that a trusted proxy forwards', () => {
  it.each([
    ['as RFC 9440 has it', sequence],
    ['as nginx writes it', escaped],
  ])('%s, serves like one of TLS', async (_what, written) => {
    expect((await ask(written(card))).json.CALLINFO['username']).toBe(user.username)
    const body = cards.credentials(user)
    const headers = { [header]: written(card) }
    const login = await cards.appliance.client().call('POST', '/auth', { body, headers })
    expect(login.status).toBe(200)
    expectFault(
      await cards.appliance
        .client()
        .call('POST', '/auth', { body: { ...body, passphrase: 'wrong wrong wrong' }, headers }),
      403,
      1201,
    )
  })

  it('is judged again: one that nobody should have let through gets nowhere', async () => {
    for (const bad of [stranger.issue('/CN=Alice'), ca.issue('/CN=Unregistered')])
      expectFault(await ask(escaped(bad)), 401, 1740)
    const holder = await cards.holder(revoked)
    expect((await ask(escaped(revoked))).status).toBe(200)
    ca.revoke(revoked)
    ca.writeCrl()
    expectFault(await ask(escaped(revoked)), 401, 1740)
    const body = cards.credentials(holder)
    expectFault(
      await cards.appliance.client().call('POST', '/auth', { body, headers: { [header]: escaped(revoked) } }),
      403,
      1201,
    )
  })

  it('is looked for in the one header that is set, and nowhere else', async () => {
    expectFault(await ask(sequence(card), 'Client-Cert'), 401, 1740)
    expectFault(await ask(escaped(card), 'X-SSL-Client-Cert'), 401, 1740)
    expectFault(await cards.appliance.client().get('/authinfo/smcuser'), 401, 1740)
    expectFault(await ask(''), 401, 1740)
    // The proxy's own certificate does not identify any of its clients.
    expectFault(await cards.holding(card).get('/authinfo/smcuser'), 401, 1740)
  })

  const unreadable: readonly (readonly [string, () => string])[] = [
    ['text', () => 'Alice'],
    ['base64 alone', () => base64(card)],
    ['two of RFC 9440', () => `${sequence(card)}, ${sequence(card)}`],
    ['two of PEM', () => escaped(card) + escaped(card)],
    ['a key', () => encodeURIComponent('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n')],
    ['broken escapes', () => `${escaped(card)}%`],
  ]
  it.each(unreadable)('that is %s is refused', async (_what, value) => {
    expectFault(await ask(value()), 400, 1804)
  })

  it('that is no certificate inside is none', async () => {
    expectFault(await ask(`:${Buffer.from('not a certificate').toString('base64')}:`), 401, 1740)
  })
})

describe('OCSP, hard', () => {
  it('vouches, and refuses when the responder is gone', async () => {
    expect((await ask(escaped(card))).status).toBe(200)
    await responder.stop()
    expectFault(await ask(escaped(card)), 401, 1740)
    await expect.poll(() => cards.appliance.journal).toContain('The OCSP responder gave no valid answer.')
  })
})
