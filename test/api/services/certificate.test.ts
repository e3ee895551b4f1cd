import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/features/services/described-service.ts'
import type { TestUser } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { cardExtensions, ClientCa, pemOf, type Card } from '../../support/client-pki.ts'
import { verdict } from '../../support/fault-kit.ts'
import { addService, loggedIn } from '../../support/service-kit.ts'
import { CardAppliance } from '../certificates/card-kit.ts'

/** Logins of service accounts by TLS client certificate, at the listener for smartcards. */
const ca = new ClientCa()
const serviceCa = new ClientCa('/CN=Service CA/O=Example')
const anchors = join(ca.directory, 'anchors.pem')
let cards: CardAppliance
let owner: TestUser
let ownerClient: TestClient
let service: Service

const trust = (...authorities: ClientCa[]) => writeFileSync(anchors, authorities.map((one) => pemOf(one)).join('\n'))

beforeAll(async () => {
  trust(ca, serviceCa)
  serviceCa.writeCrl()
  ca.writeCrl()
  cards = await CardAppliance.start({ clientCa: anchors, crls: [ca.crl, serviceCa.crl] })
  owner = await cards.appliance.addUser()
  ownerClient = await cards.appliance.login(owner)
})
afterAll(() => cards.close())

const body = () => ({ logintype: 'service_certificate', account: service.name })
const logsIn = async (card: Card | undefined) => verdict(await cards.holding(card).post('/auth', body()))
const refused = '403 1201'
const named = (name: string, from = serviceCa): Card =>
  from.issue('/CN=Service', { extensions: [...cardExtensions, `subjectAltName=DNS:${name}`] })

async function add(credential: object): Promise<{ id: string; expires: string }> {
  const { CALLINFO } = await ownerClient.must('POST', `/service/${service.id}/credential`, credential)
  return CALLINFO['credential'] as { id: string; expires: string }
}
const remove = (id: string) => ownerClient.must('DELETE', `/service/${service.id}/credential/${id}`)

describe('a certificate', () => {
  it('by its fingerprint logs in, is exchanged without a gap, and ends with its removal', async () => {
    service = await addService(cards.appliance, owner)
    const [old, next] = [named('mail'), named('mail')]
    const first = await add({ kind: 'certificate', name: '2026', certificate: pemOf(old) })
    expect(Date.parse(first.expires)).toBeGreaterThan(Date.now() + 300 * 86_400_000)
    const running = await loggedIn(cards.holding(old), body())
    expect(await logsIn(next)).toBe(refused)
    await add({ kind: 'certificate', name: '2027', certificate: pemOf(next) })
    for (const card of [old, next]) expect(await logsIn(card)).toBe('done')
    await remove(first.id)
    expect(await logsIn(old)).toBe(refused)
    expect(await logsIn(next)).toBe('done')
    expect(verdict(await running.get('/auth/check'))).toBe('403 1200')
    expect(await logsIn(undefined)).toBe(refused)
    // Its session works where no certificate is requested, like that of a smartcard.
    const { token } = await loggedIn(cards.holding(next), body())
    await cards.appliance.client(token).must('GET', '/auth/check')
  })

  it('of a CA by its name logs in: any number of them, until the CA is gone', async () => {
    service = await addService(cards.appliance, owner)
    const san = { type: 'dns', pattern: 'mail-*.example' }
    const { id } = await add({ kind: 'ca', name: 'replicas', certificate: pemOf(serviceCa), san })
    const replicas = [named('mail-1.example'), named('mail-2.example'), named('mail-3.example')]
    expect(await Promise.all(replicas.map(logsIn))).toEqual(['done', 'done', 'done'])
    expect(await logsIn(named('web-1.example'))).toBe(refused)
    expect(await logsIn(named('mail-1.example', ca))).toBe(refused)
    const [lost, kept] = replicas as [Card, Card]
    const running = await loggedIn(cards.holding(lost), body())
    const goesOn = async () => verdict(await running.get('/auth/check'))
    serviceCa.revoke(lost)
    serviceCa.writeCrl()
    expect(await logsIn(lost)).toBe(refused)
    expect(await logsIn(kept)).toBe('done')
    trust(ca)
    expect(await logsIn(kept)).toBe(refused)
    trust(ca, serviceCa)
    expect(await logsIn(kept)).toBe('done')
    // A revocation or the removal of the CA does not end the session (docs/applications.md). The removal of its
    // credential does.
    expect(await goesOn()).toBe('done')
    await remove(id)
    expect(await goesOn()).toBe('403 1200')
    expect(await logsIn(kept)).toBe(refused)
  })

  it('is refused where it could not serve', async () => {
    service = await addService(cards.appliance, owner)
    const san = { type: 'dns', pattern: '*' }
    const said = async (credential: object) =>
      verdict(await ownerClient.post(`/service/${service.id}/credential`, credential))
    const certificate = pemOf(named('mail'))
    expect(await said({ kind: 'certificate', name: 'x', certificate: pemOf(serviceCa) })).toBe('400 1741')
    expect(await said({ kind: 'ca', name: 'x', certificate, san })).toBe('400 1751')
    expect(await said({ kind: 'ca', name: 'x', certificate: pemOf(serviceCa) })).toBe('400 1804')
    expect(await said({ kind: 'certificate', name: 'x' })).toBe('400 1804')
    expect(await said({ kind: 'certificate', name: 'x', certificate, expires: '2020-01-01T00:00:00Z' })).toBe(
      '400 1751',
    )
    const many = { type: 'dns', pattern: '*a*b*c*d*e*f*g*h*i' }
    expect(await said({ kind: 'ca', name: 'x', certificate: pemOf(serviceCa), san: many })).toBe('400 1751')
    for (let at = 0; at < 16; at++) await add({ kind: 'certificate', name: `nr ${at}`, certificate })
    expect(await said({ kind: 'certificate', name: 'x', certificate })).toBe('400 1751')
  })
})
