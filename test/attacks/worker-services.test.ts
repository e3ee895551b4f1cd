import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { operatorId } from '../../src/access/confirmation.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { composeRecord, type FieldsOf } from '../../src/hsm/record-layouts.ts'
import { serviceText, type ServiceAccount } from '../../src/hsm/service-account.ts'
import type { Service } from '../../src/features/services/described-service.ts'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { caExtensions, cardExtensions, ClientCa } from '../support/client-pki.ts'
import { makePair, ownClaims, signed } from '../support/assertion-kit.ts'
import { newIdentity, sealedGrant, sealedPerson, sealedRecord } from '../support/grant-kit.ts'
import { addCredential, addService, asked, certificateOf } from '../support/service-kit.ts'
import { accountRow } from '../support/user-row.ts'
import { workerHsm } from '../support/worker-hsm.ts'

/**
 * The attacker runs code in a worker. He has every record of the database and the grants of callers, and asks the
 * keeper without the checks of the worker.
 */
const ca = new ClientCa()
const otherCa = new ClientCa('/CN=Another CA/O=Example')
let cards: CardAppliance
let appliance: TestAppliance
let worker: Hsm
let owner: TestUser
let service: Service
let staticKey: string

const named = (name: string): { extensions: string[] } => ({
  extensions: [...cardExtensions, `subjectAltName=${name}`],
})
const derOf = (card: { readonly certificate: string }): Buffer => certificateOf(card).der
const san = { type: 'dns', pattern: 'mail-*.example' } as const

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate }, { service: { allowStatic: true } })
  appliance = cards.appliance
  worker = workerHsm(appliance)
  owner = await appliance.addUser()
  service = await addService(appliance, owner)
  staticKey = (await addCredential(appliance, service, { ...asked, kind: 'static' })).key
  await addCredential(appliance, service, { ...asked, kind: 'ca', certificate: certificateOf(ca), san })
})
afterAll(async () => {
  await worker.close()
  await cards.close()
})

const shown = async (account: Pick<Service, 'id'> = service) => sealedUser(await accountRow(appliance, account))
const byCertificate = async (der: Buffer) => worker.serviceLogin(await shown(), { kind: 'certificate', shown: der })
const refused = { code: 'login.refused' }

describe('a session of a service account', () => {
  it('begins by what the account has', async () => {
    const begun = await worker.serviceLogin(await shown(), { kind: 'static', shown: Buffer.from(staticKey) })
    expect(begun.token).toMatch(/^[A-Za-z0-9]{42}$/)
    await byCertificate(derOf(ca.issue('/CN=Mail', named('DNS:mail-1.example'))))
  })

  it.each([
    ['no certificate', () => Buffer.alloc(0)],
    ['bytes', () => randomBytes(600)],
    ['a name that does not fit', () => derOf(ca.issue('/CN=Mail', named('DNS:web-1.example')))],
    ['the name in the subject alone', () => derOf(ca.issue('/CN=mail-1.example'))],
    ['the name as another kind', () => derOf(ca.issue('/CN=Mail', named('URI:mail-1.example')))],
    ['another CA', () => derOf(otherCa.issue('/CN=Mail', named('DNS:mail-1.example')))],
    [
      'another CA of the same name',
      () => {
        const twin = new ClientCa()
        return derOf(twin.issue('/CN=Mail', named('DNS:mail-1.example')))
      },
    ],
    ['the CA itself', () => certificateOf(ca).der],
    [
      'a CA below it',
      () => derOf(ca.issue('/CN=Mail', { extensions: [...caExtensions, 'subjectAltName=DNS:mail-1.example'] })),
    ],
    [
      'a server',
      () =>
        derOf(
          ca.issue('/CN=Mail', {
            extensions: [
              'basicConstraints=CA:FALSE',
              'extendedKeyUsage=serverAuth',
              'subjectAltName=DNS:mail-1.example',
            ],
          }),
        ),
    ],
    [
      'one that has ended',
      () =>
        derOf(ca.issue('/CN=Mail', { ...named('DNS:mail-1.example'), validFromMs: -7_200_000, validForMs: 3_600_000 })),
    ],
    ['one of tomorrow', () => derOf(ca.issue('/CN=Mail', { ...named('DNS:mail-1.example'), validFromMs: 86_400_000 }))],
    [
      'one with something behind it',
      () => Buffer.concat([derOf(ca.issue('/CN=Mail', named('DNS:mail-1.example'))), Buffer.alloc(4)]),
    ],
  ])('does not begin by %s', async (_which, der) => {
    await expect(byCertificate(der())).rejects.toMatchObject(refused)
  })

  it('lasts no longer than the certificate', async () => {
    const certificate = (validForMs: number) =>
      derOf(ca.issue('/CN=Mail', { ...named('DNS:mail-1.example'), validForMs }))
    const [short, long] = [await byCertificate(certificate(600_000)), await byCertificate(certificate(86_400_000))]
    expect(short.expiresAt).toBeLessThanOrEqual(Date.now() + 600_000)
    expect(long.expiresAt).toBeGreaterThan(Date.now() + 3_500_000)
  })

  it('does not begin without an account, whatever is shown', async () => {
    const der = derOf(ca.issue('/CN=Mail', named('DNS:mail-1.example')))
    const jwt = Buffer.from(await signed(await makePair(), ownClaims(service.name)))
    const detail = 'no credential of the account fits'
    for (const [kind, bytes] of [
      ['static', Buffer.from(staticKey)],
      ['certificate', der],
      ['jwt', jwt],
    ] as const)
      await expect(worker.serviceLogin(undefined, { kind, shown: bytes }), kind).rejects.toMatchObject({
        ...refused,
        detail,
      })
  })

  it('does not begin by a certificate that was edited', async () => {
    const der = derOf(ca.issue('/CN=Mail', named('DNS:web-1.example')))
    const edited = Buffer.from(der.toString('latin1').replace('web-1.example', 'mail1.example'), 'latin1')
    await expect(byCertificate(edited)).rejects.toMatchObject(refused)
  })

  it('does not begin without a key that is right, by an application key, or by a check', async () => {
    const { account } = await appliance.services.serviceAccounts.read(service.id)
    const [credential] = account.credentials
    const check = credential?.kind === 'static' ? credential.check : ''
    for (const key of ['', 'A'.repeat(43), appliance.applicationKey, check, `${staticKey} `, 'A'.repeat(4_000)])
      await expect(
        worker.serviceLogin(await shown(), { kind: 'static', shown: Buffer.from(key) }),
      ).rejects.toMatchObject(refused)
  })

  it('is of no user, and of no application key', async () => {
    await expect(
      worker.serviceLogin(await shown(owner), { kind: 'static', shown: Buffer.from(staticKey) }),
    ).rejects.toMatchObject({ code: 'hsm.rejected' })
    // The login of people refuses a service account as well.
    const request = { applicationKey: undefined, applicationKeyText: Buffer.alloc(10), hash: Buffer.alloc(32) }
    const factor = { certificate: undefined, devices: [], otp: { block: Buffer.alloc(16) } } as const
    await expect(worker.login({ ...request, user: await shown(), factor })).rejects.toMatchObject({
      code: 'hsm.rejected',
    })
  })

  it('does not begin by the record of before: a credential that was removed, an account that was disabled', async () => {
    const account = await addService(appliance, owner)
    const { id, key } = await addCredential(appliance, account, { ...asked, kind: 'static' })
    const before = await shown(account)
    await appliance.services.serviceAccounts.removeCredential(account.id, id, operatorId, appliance.commit)
    const outdated = { code: 'hsm.outdated' }
    const evidence = { kind: 'static', shown: Buffer.from(key) } as const
    await expect(worker.serviceLogin(before, evidence)).rejects.toMatchObject(outdated)
    await expect(worker.serviceLogin(await shown(account), evidence)).rejects.toMatchObject(refused)
  })

  it('gets no grant once its credential is gone, also by the record of before', async () => {
    const account = await addService(appliance, owner)
    const { id, key } = await addCredential(appliance, account, { ...asked, kind: 'static' })
    const before = await accountRow(appliance, account)
    const begun = await worker.serviceLogin(sealedUser(before), { kind: 'static', shown: Buffer.from(key) })
    const tokenHash = createHash('sha256').update(begun.token).digest('base64')
    const fields = {
      identity: begun.identity,
      tokenHash,
      account: before.identity,
      credential: begun.credential,
      recoveries: before.recoveries,
      createdAt: begun.createdAt,
      expiresAt: begun.expiresAt,
    }
    const session = { record: composeRecord('service session', fields), seal: begun.seal }
    const request = (user: SealedRecord) =>
      worker.grant({ token: begun.token, session, user, applicationKey: undefined })
    await request(sealedUser(before))
    // Not for a longer time, not under another token, not under a successor.
    const longer = {
      record: composeRecord('service session', { ...fields, expiresAt: fields.expiresAt + 1 }),
      seal: begun.seal,
    }
    await expect(
      worker.grant({ token: begun.token, session: longer, user: sealedUser(before), applicationKey: undefined }),
    ).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    const next = composeRecord('service session', { ...fields, tokenHash: 'another' })
    await expect(worker.seal(next, { previous: session })).rejects.toMatchObject({ code: 'hsm.rejected' })
    await appliance.services.serviceAccounts.removeCredential(account.id, id, operatorId, appliance.commit)
    await expect(request(sealedUser(before))).rejects.toMatchObject({ code: 'hsm.outdated' })
    await expect(request(await shown(account))).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it('is not made up: no session of a service is sealed for a worker', async () => {
    const identity = Buffer.alloc(0)
    const fields = { identity, tokenHash: 'mine', account: newIdentity(), credential: 'ab', recoveries: 0 }
    const record = composeRecord('service session', { ...fields, createdAt: 1, expiresAt: Date.now() + 60_000 })
    await expect(worker.sealNew(record)).rejects.toMatchObject({ code: 'hsm.rejected' })
  })
})

const active = capabilitiesOf(['active'])
const everything = capabilitiesOf(['read', 'active', 'admin'])
const [account, ownerIdentity, stranger] = [newIdentity(), newIdentity(), newIdentity()]
const credential = {
  id: '0011223344556677',
  kind: 'certificate',
  name: 'first',
  addedAt: 1,
  expiresAt: null,
  sha256: 'ab'.repeat(32),
} as const
const second = { ...credential, id: '8899aabbccddeeff', sha256: 'cd'.repeat(32) }
const settings: ServiceAccount = {
  owner: ownerIdentity.toString('hex'),
  ownerRecoveries: 2,
  addresses: ['192.0.2.7'],
  expiresAt: 4_000_000_000_000,
  credentials: [credential],
}
const record = (
  changes: Partial<ServiceAccount> = {},
  fields: Partial<FieldsOf<'service account'>> = {},
): FieldsOf<'service account'> => ({
  identity: account,
  id: 4711,
  username: 'mail-form',
  capabilities: active,
  recoveries: 0,
  account: serviceText({ ...settings, ...changes }),
  generation: 1,
  ...fields,
})

describe('a change of a service account', () => {
  const grantOf = (fields: Partial<FieldsOf<'grant'>>): SealedRecord =>
    sealedGrant(appliance.token, { user: stranger, userId: 815, permission: 0, ...fields })
  const byOwner = (recoveries = 2) => grantOf({ user: ownerIdentity, userId: 12, recoveries })
  const byAdministrator = () => grantOf({ capabilities: capabilitiesOf(['read', 'active', 'admin']) })
  const person = (identity: Buffer, recoveries: number) =>
    sealedPerson(appliance.token, {
      identity,
      username: 'owner',
      capabilities: everything,
      recoveries,
      generation: 7,
    })
  const seal = (
    to: FieldsOf<'service account'>,
    grant: SealedRecord,
    { from = record(), member = person(ownerIdentity, 2) } = {},
  ) => {
    const next = composeRecord('service account', { ...to, generation: nextGeneration(1) })
    return worker.seal(next, {
      previous: sealedRecord(appliance.token, 'service account', from),
      grant,
      person: member,
    })
  }
  const both = [credential, second]
  const rejected = { code: 'hsm.rejected' }

  it.each([
    ['credentials', record({ credentials: both })],
    ['addresses', record({ addresses: [] })],
    ['the end', record({ expiresAt: null })],
    ['whether it is active', record({}, { capabilities: 0 })],
  ])('is the owner’s: %s', async (_what, to) => {
    await seal(to, byOwner())
    await expect(seal(to, grantOf({}))).rejects.toMatchObject(rejected)
    // A grant of an Admin of some vault has no effect here.
    await expect(seal(to, grantOf({ vault: newIdentity(), permission: 4 }))).rejects.toMatchObject(rejected)
  })

  it('by an owner who was recovered since needs his current record and counts as a recovery', async () => {
    const to = record({ credentials: both })
    // By a session after a recovery, shown with a record from before it.
    await expect(seal(to, byOwner(3))).rejects.toMatchObject(rejected)
    await expect(seal(to, byOwner(), { member: person(stranger, 2) })).rejects.toMatchObject(rejected)
    await expect(seal(to, byOwner(), { member: person(ownerIdentity, 3) })).rejects.toMatchObject(rejected)
    const anew = record({ credentials: both, ownerRecoveries: 3 }, { recoveries: 1 })
    await seal(anew, byOwner(), { member: person(ownerIdentity, 3) })
    // Not for future recoveries.
    const ahead = record({ credentials: both, ownerRecoveries: 9 }, { recoveries: 1 })
    await expect(seal(ahead, byOwner(), { member: person(ownerIdentity, 3) })).rejects.toMatchObject(rejected)
  })

  it('by an administrator may remove credentials and disable the account', async () => {
    await seal(record({ credentials: [] }), byAdministrator())
    await seal(record({}, { capabilities: 0 }), byAdministrator())
    await seal(record({ credentials: [] }, { capabilities: 0 }), byAdministrator())
  })

  it.each([
    ['adds a credential', record({ credentials: both }), record()],
    ['exchanges one', record({ credentials: [{ ...credential, sha256: 'ee'.repeat(32) }] }), record()],
    ['loosens the addresses', record({ addresses: ['0.0.0.0/1'] }), record()],
    ['moves the end', record({ expiresAt: null }), record()],
    ['enables it again', record(), record({}, { capabilities: 0 })],
    ['makes himself the owner', record({ owner: stranger.toString('hex'), ownerRecoveries: 0 }), record()],
  ])('by an administrator who %s comes with a recovery', async (_what, to, from) => {
    const member = to.account.includes(stranger.toString('hex')) ? person(stranger, 0) : person(ownerIdentity, 2)
    await expect(seal(to, byAdministrator(), { from, member })).rejects.toMatchObject(rejected)
    await expect(seal({ ...to, recoveries: 2 }, byAdministrator(), { from, member })).rejects.toMatchObject(rejected)
    await seal({ ...to, recoveries: 1 }, byAdministrator(), { from, member })
  })

  it.each([
    ['another capability', record({}, { capabilities: active | 4 })],
    ['another name', record({}, { username: 'other' })],
    ['another row', record({}, { id: 12 })],
    ['a text of another form', record({}, { account: ` ${serviceText(settings)}` })],
    ['no account', record({}, { account: '{}' })],
    ['an owner whose record is not shown', record({ owner: stranger.toString('hex') }, { recoveries: 1 })],
    ['fewer recoveries', record({}, { recoveries: -1 })],
  ])('is refused to all: %s', async (_what, to) => {
    for (const grant of [byOwner(), byAdministrator()]) await expect(seal(to, grant)).rejects.toMatchObject(rejected)
  })

  it('by the owner cannot name another owner', async () => {
    const to = record({ owner: stranger.toString('hex'), ownerRecoveries: 0 }, { recoveries: 1 })
    await expect(seal(to, byOwner(), { member: person(stranger, 0) })).rejects.toMatchObject(rejected)
  })

  it('makes no user of it, and none of a user', async () => {
    const user = person(account, 0)
    const before = sealedRecord(appliance.token, 'service account', record({}, { generation: 6 }))
    await expect(worker.seal(user.record, { previous: before, grant: byAdministrator() })).rejects.toMatchObject(
      rejected,
    )
    const next = composeRecord('service account', { ...record(), generation: 8 })
    await expect(worker.seal(next, { previous: user, grant: byAdministrator(), person: user })).rejects.toMatchObject(
      rejected,
    )
  })

  it('makes none but by an administrator, for an owner as he is', async () => {
    const first = (changes: Partial<ServiceAccount> = {}, fields: Partial<FieldsOf<'service account'>> = {}) =>
      composeRecord(
        'service account',
        record({ credentials: [], ...changes }, { identity: Buffer.alloc(0), ...fields }),
      )
    const member = person(ownerIdentity, 2)
    await worker.sealNew(first(), { grant: byAdministrator(), person: member })
    const another = sealedRecord(
      appliance.token,
      'service account',
      record({}, { identity: ownerIdentity, capabilities: everything, generation: 7 }),
    )
    await expect(
      worker.sealNew(first({ ownerRecoveries: 0 }), { grant: byAdministrator(), person: another }),
    ).rejects.toMatchObject(rejected)
    await expect(worker.sealNew(first(), { grant: byOwner(), person: member })).rejects.toMatchObject(rejected)
    await expect(worker.sealNew(first(), { grant: byAdministrator() })).rejects.toMatchObject(rejected)
    await expect(
      worker.sealNew(first({ ownerRecoveries: 3 }), { grant: byAdministrator(), person: member }),
    ).rejects.toMatchObject(rejected)
    await expect(
      worker.sealNew(first({}, { recoveries: 1 }), { grant: byAdministrator(), person: member }),
    ).rejects.toMatchObject(rejected)
    await expect(
      worker.sealNew(first({}, { capabilities: active | 4 }), { grant: byAdministrator(), person: member }),
    ).rejects.toMatchObject(rejected)
  })
})

it('the key of a static credential is nowhere in the database', () => {
  expect(readFileSync(appliance.config.store.sqlite ?? '').includes(staticKey)).toBe(false)
})
