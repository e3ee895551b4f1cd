import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoginType } from '../../../src/features/auth/credentials.ts'
import { createUsableFactors } from '../../../src/features/auth/usable-factors.ts'
import { personById } from '../../../src/features/users/records.ts'
import type { TestUser } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import {
  ClientCa,
  cardExtensions,
  openssl,
  pemOf,
  selfSigned,
  type Card,
  type CardOptions,
} from '../../support/client-pki.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { CardAppliance, upload } from './card-kit.ts'

const ca = new ClientCa()
const foreign = new ClientCa()
let cards: CardAppliance
let user: TestUser

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
  user = await cards.appliance.addUser()
})
afterAll(() => cards.close())

/** A new login, because a change of the certificate ends earlier sessions. */
const asUser = () => cards.appliance.login(user)

describe('a registration', () => {
  it('is read by its user and by administrators, and is gone after removal', async () => {
    const card = ca.issue('/C=SE/O=Example/OU=Vaults/OU=People/CN=Alice Example', { validForMs: 86_400_000 })
    const { status, json } = await cards.register(user, card)
    expect([status, json.CALLINFO.handler, json.CALLINFO.status]).toEqual([200, 'UserCertHandler', 'SUCCESS'])
    const certificate = {
      subject: { C: 'SE', O: 'Example', OU: ['Vaults', 'People'], CN: 'Alice Example' },
      validFrom: isoDate('-startdate', card),
      validTo: isoDate('-enddate', card),
    }
    const own = await asUser()
    for (const [client, path] of [
      [own, '/usercert'],
      [own, `/usercert/${user.id}`],
      [cards.admin, `/usercert/${user.id}`],
    ] as const)
      expect((await client.must('GET', path)).CALLINFO['certificate']).toEqual(certificate)

    await cards.admin.must('DELETE', `/usercert/${user.id}`)
    for (const client of [await asUser(), cards.admin])
      expect((await client.must('GET', `/usercert/${user.id}`)).CALLINFO).not.toHaveProperty('certificate')
    expectFault(await cards.admin.call('DELETE', `/usercert/${user.id}`), 404, 1743)
  })

  it('takes the place of the one before, and the file whatever its part is called', async () => {
    const [first, second] = [ca.issue('/CN=First'), ca.issue('/CN=Second')]
    expect((await upload(cards.admin, user.id, pemOf(first), 'user_cert')).status).toBe(200)
    expect((await upload(cards.admin, user.id, pemOf(second))).status).toBe(200)
    expectFault(await cards.holding(first).get('/authinfo/smcuser'), 401, 1740)
    expect((await cards.holding(second).get('/authinfo/smcuser')).status).toBe(200)
    expect((await upload(cards.admin, user.id, pemOf(second))).status).toBe(200)
  })

  it('is a second factor to log in with until it expires, where smartcards are enabled', async () => {
    const { store } = cards.appliance
    const card = ca.issue('/CN=Bob Example', { validForMs: 86_400_000 })
    const holder = await cards.appliance.addUser()
    await cards.register(holder, card)
    const row = await personById(store.read, holder.id)
    const end = Date.parse(isoDate('-enddate', card))
    const isUsable = (enabledTypes: readonly LoginType[], now: number) => {
      const hasUsableFactor = createUsableFactors({ enabledTypes, clock: { now: () => now } })
      return store.transaction((tx) => hasUsableFactor(tx, row))
    }
    expect([await isUsable(['smartcard'], end), await isUsable(['smartcard'], end + 1)]).toEqual([true, false])
    expect([await isUsable([], end), await isUsable(['smartcard', 'totp'], end + 1)]).toEqual([false, true])
  })

  it('is of one user alone, also when two are registered at once', async () => {
    const card = ca.issue('/CN=Shared')
    const holders = await Promise.all([cards.appliance.addUser(), cards.appliance.addUser()])
    const answers = await Promise.all(holders.map((holder) => cards.register(holder, card)))
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
    expectFault(await cards.register(user, card), 409, 1742)
  })

  it('is an administrator’s work; others read their own whatever id they give', async () => {
    const other = await cards.holder(ca.issue('/CN=Other'))
    const own = await asUser()
    expectFault(await upload(own, user.id, pemOf(ca.issue('/CN=Mine'))), 403, 1300)
    expectFault(await own.call('DELETE', `/usercert/${user.id}`), 403, 1300)
    await cards.register(user, ca.issue('/CN=Own'))
    for (const id of [String(other.id), '999999', 'nonsense'])
      expect((await (await asUser()).must('GET', `/usercert/${id}`)).CALLINFO['certificate']).toMatchObject({
        subject: { CN: 'Own' },
      })
  })

  it.each(['0', '-1', '0x10', '1e3', '9999999999999999999', 'abc', '%F0%9F%94%91', '999999'])(
    'is not found for the user id %s',
    async (id) => {
      expectFault(await upload(cards.admin, id, pemOf(ca.issue('/CN=Nobody'))), 404, 1700)
      expectFault(await cards.admin.call('DELETE', `/usercert/${id}`), 404, 1700)
      expectFault(await cards.admin.get(`/usercert/${id}`), 404, 1700)
    },
  )

  it('asks for a form with a file', async () => {
    expectFault(await cards.admin.post(`/usercert/${user.id}`, { file: pemOf(ca) }), 400, 1812)
  })

  it('reads names from their structure', async () => {
    const card = ca.issue('/CN=eve\nCN=admin/OU=a+OU=b/emailAddress=e@example.test/O=Räksmörgås 𝔘')
    await cards.register(user, card)
    expect((await (await asUser()).must('GET', '/usercert')).CALLINFO['certificate']).toMatchObject({
      subject: { CN: 'eve\nCN=admin', OU: ['a', 'b'], emailAddress: 'e@example.test', O: 'Räksmörgås 𝔘' },
    })
  })

  it('shows each field under the name that OpenSSL has for it', async () => {
    const fields = {
      CN: 'Alice Example',
      initials: 'AE',
      street: 'Main Street 1',
      postalCode: '12345',
      serialNumber: '19700101',
      UID: 'alice',
      GN: 'Alice',
      SN: 'Example',
      title: 'Dr',
      pseudonym: 'al',
      organizationIdentifier: 'VATSE-1',
      DC: ['test', 'example'],
    }
    const names = Object.entries(fields).flatMap(([name, values]) => [values].flat().map((one) => `/${name}=${one}`))
    await cards.register(user, ca.issue(names.join('')))
    const { CALLINFO } = await (await asUser()).must('GET', '/usercert')
    expect(CALLINFO['certificate']).toMatchObject({ subject: fields })
  })

  it('stands in the audit trail with the certificate', async () => {
    const card = ca.issue('/CN=Recorded')
    await cards.register(user, card)
    const print = fingerprintOf(card).slice(0, 16)
    expect(cards.appliance.trail.join('')).toMatch(
      new RegExp(`"operation":"usercert.add".*"subject":"user ${user.id}: certificate ${print}"`),
    )
  })

  it('edited in the database is refused', async () => {
    const card = ca.issue('/CN=Moved')
    const [from, to] = [await cards.holder(card), await cards.appliance.addUser()]
    const client = cards.holding(card)
    expect((await client.get('/authinfo/smcuser')).status).toBe(200)
    await cards.appliance.sql(`UPDATE user_certificates SET user_id = ${to.id} WHERE user_id = ${from.id}`)
    expectFault(await client.get('/authinfo/smcuser'), 503, 1903)
    expectFault(await client.post('/auth', cards.credentials(to)), 503, 1903)
    expectFault(await cards.admin.get(`/usercert/${to.id}`), 503, 1903)
  })
})

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  it('a card is registered once, names its user, and is gone after removal', async () => {
    const postgres = startPostgres()
    const other = await CardAppliance.start(
      { clientCa: ca.certificate },
      { store: { postgresUrlFile: postgres.urlFile } },
    )
    try {
      const card = ca.issue('/CN=Shared')
      const holders = await Promise.all([other.appliance.addUser(), other.appliance.addUser()])
      const answers = await Promise.all(holders.map((holder) => other.register(holder, card)))
      expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
      const holder = holders[answers[0]?.status === 200 ? 0 : 1]
      const client = other.holding(card)
      expect((await client.get('/authinfo/smcuser')).json.CALLINFO['username']).toBe(holder?.username)
      await other.admin.must('DELETE', `/usercert/${holder?.id}`)
      expectFault(await client.get('/authinfo/smcuser'), 401, 1740)
    } finally {
      await other.close()
      postgres.cleanup()
    }
  })
})

describe('what cannot be registered', () => {
  const usual = () => pemOf(ca.issue('/CN=Usual'))
  const card = (options: CardOptions) => () => pemOf(ca.issue('/CN=Unusual', options))
  const without = (start: string) => cardExtensions.filter((line) => !line.startsWith(start))
  const der = (pem: string) => Buffer.from(pem.replaceAll(/-----[^-]*-----|\s/g, ''), 'base64')
  const block = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`
  const withKey = () => {
    const { certificate, key } = ca.issue('/CN=With its key')
    return readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8')
  }

  const files: readonly (readonly [what: string, content: () => string | Buffer, says: RegExp])[] = [
    ['nothing', () => '', /empty/],
    ['text', () => 'hello', /no certificate/],
    ['DER', () => der(usual()), /DER or PKCS#12.*openssl x509/],
    ['PKCS#12', () => pkcs12(ca.issue('/CN=Packed')), /PKCS#12/],
    ['a bundle', () => usual() + readFileSync(ca.certificate, 'utf8'), /holds 2 certificates.*intermediates/],
    ['a private key', withKey, /private key.*lost/],
    ['a signing request', () => readFileSync(ca.issue('/CN=R').certificate.replace('.pem', '.csr')), /signing request/],
    ['a public key', () => openssl('x509', '-in', ca.certificate, '-noout', '-pubkey'), /public key/],
    ['a CA', () => readFileSync(ca.certificate), /of a CA/],
    ['bytes behind the certificate', () => block(Buffer.concat([der(usual()), Buffer.from('more')])), /behind it/],
    ['half a certificate', () => block(der(usual()).subarray(0, 200)), /damaged/],
    ['another encoding inside', () => usual().replace('A', '%'), /damaged|no certificate/],
    ['more than 64 KiB', () => usual() + '#'.repeat(65_536), /65536 bytes/],
    ['an expired one', card({ validFromMs: -7_200_000, validForMs: 3_600_000 }), /expired on \d{4}-/],
    ['one of tomorrow', card({ validFromMs: 86_400_000 }), /not valid before \d{4}-/],
    ['one for servers', card({ extensions: [...without('extended'), 'extendedKeyUsage=serverAuth'] }), /clientAuth/],
    ['one for nothing in particular', card({ extensions: without('extended') }), /clientAuth/],
    [
      'one that may not sign',
      card({ extensions: [...without('keyUsage'), 'keyUsage=keyEncipherment'] }),
      /digitalSignature/,
    ],
    ['RSA with 1024 bits', card({ newKey: ['rsa:1024'] }), /weak or not supported.*2048/],
    ['a curve of its own kind', card({ newKey: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'] }), /P-256/],
    ['a signature with SHA-1', card({ digest: 'sha1' }), /SHA-256/],
    [
      'an unknown critical extension',
      card({ extensions: [...cardExtensions, '1.2.3.4=critical,DER:0500'] }),
      /1\.2\.3\.4/,
    ],
    ['one of a foreign CA with the same names', () => pemOf(foreign.issue('/CN=Usual')), /None of the CAs/],
    ['one that has signed itself', () => pemOf(selfSigned(ca.directory, '/CN=Usual')), /None of the CAs/],
  ]
  it.each(files)('%s', async (_what, content, says) => {
    const answer = await upload(cards.admin, user.id, content())
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.json.ERRORS?.[0]).toMatch(says)
    expect(answer.status === 413 || Object.hasOwn(answer.json.ERRORCODES ?? {}, '1741')).toBe(true)
  })

  it('other than these: RSA, Ed25519, and comments around the one block', async () => {
    for (const newKey of [['rsa:2048'], ['ed25519'], ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']])
      expect((await upload(cards.admin, user.id, pemOf(ca.issue('/CN=Good', { newKey })))).json.ERRORS).toBeUndefined()
    const text = openssl('x509', '-in', ca.issue('/CN=Commented').certificate, '-text')
    expect((await upload(cards.admin, user.id, text.replaceAll('\n', '\r\n'))).json.ERRORS).toBeUndefined()
  })
})

function pkcs12({ certificate, key }: Card): Buffer {
  const file = `${certificate}.p12`
  openssl('pkcs12', '-export', '-in', certificate, '-inkey', key, '-passout', 'pass:x', '-out', file)
  return readFileSync(file)
}

function isoDate(which: string, { certificate }: Card): string {
  const date = openssl('x509', '-in', certificate, '-noout', which).split('=')[1] ?? ''
  return new Date(date).toISOString()
}

function fingerprintOf({ certificate }: Card): string {
  const text = openssl('x509', '-in', certificate, '-noout', '-fingerprint', '-sha256')
  return (text.split('=')[1] ?? '').trim().replaceAll(':', '').toLowerCase()
}
