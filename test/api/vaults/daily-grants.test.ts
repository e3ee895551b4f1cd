import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { createDailyItems } from '../../../src/features/vaults/daily-items.ts'
import { GrantUseTable } from '../../../src/features/vaults/grant-use-records.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'

/** On an appliance with two workers, which count separately. */
const appliance = applianceForTests()
const vault = vaultForTests(appliance)

beforeAll(async () => {
  for (const name of ['a', 'b']) await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`)
})

const encrypt = (client: TestClient, body: object = { plaintext: 'AAAA' }, key = 'a'): Promise<Answer> =>
  client.post(`/transparent/${vault.id}/encrypt/${key}`, body)
const batch = (count: number) => ({ batch_input: Array.from({ length: count }, () => ({ plaintext: 'AAAA' })) })
const codeOf = ({ json }: Answer): string => Object.keys(json.ERRORCODES ?? { done: '' })[0] ?? ''

describe('a limit a day', () => {
  it('lets as many items through as it says, by all workers together, and then none', async () => {
    const { client } = await vault.narrowed([{ keys: '*', operations: ['encrypt'], daily: 40 }])
    const answers = await Promise.all(Array.from({ length: 80 }, () => encrypt(client)))
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === 'done')).toHaveLength(40)
    expect(codes.filter((code) => code === '1304')).toHaveLength(40)
    const refused = await encrypt(client)
    expectFault(refused, 429, 1304)
    expect(refused.json.ERRORS?.[0]).toMatch(
      /^Your grants in this vault allow 40 items a day \(UTC\) with the keys \*, and fewer/,
    )
    const secondsLeft = 86_400 - ((Date.now() / 1_000) % 86_400)
    expect(Math.abs(Number(refused.headers['retry-after']) - secondsLeft)).toBeLessThan(60)
  })

  it('counts the items of a batch, which is done as a whole or not at all', async () => {
    const { client } = await vault.narrowed([{ keys: '*', operations: ['encrypt'], daily: 10 }])
    expect((await encrypt(client, batch(7))).status).toBe(201)
    expectFault(await encrypt(client, batch(4)), 429, 1304)
    expect((await encrypt(client, batch(3))).status).toBe(201)
    expectFault(await encrypt(client), 429, 1304)
  })

  it('never reserves more than the limit, however large', async () => {
    const { user, client } = await vault.narrowed([{ keys: '*', operations: ['encrypt'], daily: 1_000 }])
    await Promise.all(Array.from({ length: 30 }, () => encrypt(client, batch(5))))
    const [row] = await appliance.store.read.findBy(GrantUseTable, { vaultId: Number(vault.id), userId: user.id })
    expect(row?.used).toBeGreaterThanOrEqual(150)
    // At most a block of ten for each worker in addition to the used ones.
    expect(row?.used).toBeLessThanOrEqual(170)
  })

  it('is that of the entry: another entry goes on, and items that it allows are not counted here', async () => {
    const aad = Buffer.from('free').toString('base64')
    const { client } = await vault.narrowed([
      { keys: 'a', operations: ['encrypt'], daily: 2 },
      { keys: 'a', operations: ['encrypt'], aad },
      { keys: 'b', operations: ['encrypt'], daily: 1 },
    ])
    for (let round = 0; round < 3; round++) expect((await encrypt(client, { plaintext: 'AAAA', aad })).status).toBe(201)
    expect((await encrypt(client, batch(2))).status).toBe(201)
    expectFault(await encrypt(client), 429, 1304)
    expect((await encrypt(client, undefined, 'b')).status).toBe(201)
    expectFault(await encrypt(client, undefined, 'b'), 429, 1304)
    expect((await encrypt(client, { plaintext: 'AAAA', aad })).status).toBe(201)
  })

  it('takes the next entry that has enough left', async () => {
    const { client } = await vault.narrowed([
      { keys: 'a', operations: ['encrypt'], daily: 2 },
      { keys: '*', operations: ['encrypt'], daily: 3 },
    ])
    const codes: string[] = []
    for (let round = 0; round < 6; round++) codes.push(codeOf(await encrypt(client)))
    expect(codes).toEqual(['done', 'done', 'done', 'done', 'done', '1304'])
  })

  it('gives back what a call took that is refused for the rest of its items', async () => {
    const aad = (text: string): string => Buffer.from(text).toString('base64')
    const { client } = await vault.narrowed([
      { keys: 'a', operations: ['encrypt'], aad: aad('x'), daily: 2 },
      { keys: 'a', operations: ['encrypt'], aad: aad('y'), daily: 1 },
    ])
    const items = (...texts: string[]) => ({
      batch_input: texts.map((text) => ({ plaintext: 'AAAA', aad: aad(text) })),
    })
    expectFault(await encrypt(client, items('x', 'x', 'y', 'y')), 429, 1304)
    expect((await encrypt(client, items('x', 'x', 'y'))).status).toBe(201)
  })

  it('goes on where an Admin changes the limit, and counts for one member alone', async () => {
    const entry = { keys: '*', operations: ['encrypt'] }
    const grants = [{ ...entry, daily: 2 }]
    const [one, other] = [await vault.narrowed(grants), await vault.narrowed(grants)]
    expect((await encrypt(one.client, batch(2))).status).toBe(201)
    expectFault(await encrypt(one.client), 429, 1304)
    expect((await encrypt(other.client, batch(2))).status).toBe(201)
    const place = `/vault/${vault.id}/member/${one.user.id}`
    await vault.admin.must('PUT', place, { status: 1, grants: [{ ...entry, daily: 3 }] })
    expect((await encrypt(one.client)).status).toBe(201)
    expectFault(await encrypt(one.client), 429, 1304)
  })

  it('ends with the membership and the vault', async () => {
    const { user, client } = await vault.narrowed([{ keys: '*', operations: ['encrypt'], daily: 5 }])
    await encrypt(client)
    const rows = () => appliance.store.read.countBy(GrantUseTable, { vaultId: Number(vault.id), userId: user.id })
    expect(await rows()).toBe(1)
    await vault.share(String(user.id), undefined)
    expect(await rows()).toBe(0)
  })
})

describe('a day', () => {
  const entry = { keys: '*', operations: ['encrypt'], daily: 2 } as const
  const day = 86_400_000
  it('begins anew at midnight UTC, for the worker that counts and for others, and never again', async () => {
    const { user } = await vault.narrowed([entry])
    const place = { vaultId: Number(vault.id), userId: user.id }
    const clock = { time: 1_000 * day - 1, now: () => clock.time }
    const [one, other] = [1, 2].map(() => createDailyItems({ store: appliance.store, clock }))
    const spend = async (by = one) =>
      by?.spend(place, [{ entries: [entry], count: 1 }]).then(
        () => 'done',
        (fault: { code: string; retryAfterMs: number }) => `${fault.code} ${fault.retryAfterMs}`,
      )
    expect([await spend(), await spend(other), await spend()]).toEqual(['done', 'done', 'access.used_up 1'])
    clock.time += 1
    expect([await spend(), await spend(other), await spend(other)]).toEqual(['done', 'done', `access.used_up ${day}`])
    // A clock that is set back does not begin an earlier day again.
    clock.time -= 1
    expect([await spend(), await spend(other)]).toEqual(['access.used_up 1', 'access.used_up 1'])
  })
})
