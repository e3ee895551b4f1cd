import { beforeAll, expect, it } from 'vitest'
import { LinkTable } from '../../../src/features/links/records.ts'
import { TestAppliance, twoWorkers, type TestUser } from '../../support/appliance.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { outcomesIn, requestIdOf, verdict } from '../../support/fault-kit.ts'
import { listedLink, makeLink, openLink } from '../../support/link-kit.ts'
import { addCredential, addService, asked, byKey, loggedIn } from '../../support/service-kit.ts'
import { eventsOf } from '../../support/trail.ts'

const settings = {
  ...twoWorkers,
  links: { enabled: true, perUser: 3, maxBytes: 1024, longestMs: 3_600_000 },
  service: { allowStatic: true },
}

function openOnce(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  let user: TestUser
  let maker: TestClient
  let stranger: TestClient

  beforeAll(async () => {
    stranger = appliance.client()
  })

  async function givenMaker(): Promise<void> {
    user = await appliance.addUser()
    maker = await appliance.login(user)
  }
  const open = (opener: string) => openLink(stranger, { opener })
  /** Sent as `raw`, since the answer does not repeat the ciphertext. */
  const ask = (bytes = 64) =>
    maker.call('POST', '/link', { raw: JSON.stringify({ ciphertext: Buffer.alloc(bytes).toString('base64') }) })
  const rowOf = ({ id }: { readonly id: string }) => appliance.store.read.findOneByOrFail(LinkTable, { id: Number(id) })

  it('by a stranger, once; then nothing of it is left but when that was', async () => {
    await givenMaker()
    const link = await makeLink(maker, { label: 'For Kim', lifetime: 600 })
    expect(await listedLink(maker, link)).toMatchObject({ label: 'For Kim', state: 'waiting', closed: null })
    expect((await open(link.opener)).json.CALLINFO['ciphertext']).toBe(link.ciphertext)
    expectFault(await open(link.opener), 404, 1760)
    expect(await listedLink(maker, link)).toMatchObject({ state: 'opened', closed: expect.stringMatching(/Z$/) })
    expect((await rowOf(link)).ciphertext).toBeNull()
  })

  it('also of fifty strangers at one moment, at two workers', async () => {
    await givenMaker()
    for (let round = 0; round < 3; round++) {
      const link = await makeLink(maker)
      const strangers = Array.from({ length: 50 }, () => appliance.client())
      const answers = await Promise.all(strangers.map((one) => openLink(one, link)))
      for (const one of strangers) one.close()
      const opened = answers.filter(({ status }) => status === 200)
      expect(opened.map(({ json }) => json.CALLINFO['ciphertext'])).toEqual([link.ciphertext])
      expect(new Set(answers.map(verdict))).toEqual(new Set(['done', '404 1760']))
    }
  })

  it('and by nothing that follows it with GET', async () => {
    await givenMaker()
    const link = await makeLink(maker)
    expectFault(await stranger.get('/link/open'), 405, 1802)
    expectFault(await stranger.get(`/link/open?opener=${link.opener}`), 405, 1802)
    expect(await listedLink(maker, link)).toMatchObject({ state: 'waiting' })
  })

  it('within its time', async () => {
    await givenMaker()
    const link = await makeLink(maker, { lifetime: 60 })
    await appliance.sql(`UPDATE one_time_links SET expires_at = ${Date.now() - 1} WHERE id = ${link.id}`)
    expectFault(await open(link.opener), 404, 1760)
    expect(await listedLink(maker, link)).toMatchObject({ state: 'expired' })
    await appliance.services.links.sweep()
    expect((await rowOf(link)).ciphertext).toBeNull()
    await appliance.sql(`UPDATE one_time_links SET expires_at = 1 WHERE id = ${link.id}`)
    expect(await appliance.services.links.sweep()).toBe(1)
    expect(await listedLink(maker, link)).toEqual({})
  })

  it('while its maker can log in', async () => {
    await givenMaker()
    const link = await makeLink(maker)
    await appliance.services.users.disable(user.username, appliance.commit)
    expectFault(await open(link.opener), 404, 1760)
  })

  it('until its maker revokes it, and nobody else', async () => {
    await givenMaker()
    const link = await makeLink(maker)
    const other = await appliance.login()
    const path = `/link/${link.id}`
    expectFault(await other.call('DELETE', path), 404, 1760)
    expect((await other.must('GET', '/link')).CALLINFO['links']).toEqual([])
    await maker.must('DELETE', path)
    expectFault(await maker.call('DELETE', path), 404, 1760)
    expectFault(await open(link.opener), 404, 1760)
    expect(await listedLink(maker, link)).toMatchObject({ state: 'revoked' })
    expect((await rowOf(link)).ciphertext).toBeNull()
  })

  it('each user has so many, so large and for so long', async () => {
    await givenMaker()
    for (const [members, code] of [
      [{ ciphertext: Buffer.alloc(1_025).toString('base64') }, 1761],
      [{ ciphertext: Buffer.alloc(28).toString('base64') }, 1761],
      [{ lifetime: 59 }, 1761],
      [{ lifetime: 3_601 }, 1761],
      [{ ciphertext: 'no base64' }, 1804],
    ] as const)
      expectFault(await maker.post('/link', { ciphertext: Buffer.alloc(64).toString('base64'), ...members }), 400, code)
    const all = [1, 2, 3, 4, 5, 6].map(() => ask(1_024))
    const made = (await Promise.all(all)).map(verdict)
    expect(made.filter((one) => one === 'done').length).toBeLessThanOrEqual(3)
    while (verdict(await ask()) === 'done');
    const { links } = (await maker.must('GET', '/link')).CALLINFO as unknown as { links: { id: string }[] }
    expect(links).toHaveLength(3)
    expectFault(await ask(), 409, 1762)
    await maker.must('DELETE', `/link/${links[0]?.id}`)
    await makeLink(maker)
  })

  it('its maker reads all of them page by page, the newest first, and no others', async () => {
    await givenMaker()
    const made: string[] = []
    for (let count = 0; count < 5; count++) {
      const { id } = await makeLink(maker)
      made.unshift(id)
      await maker.must('DELETE', `/link/${id}`)
    }
    const pages: string[][] = []
    for (let query: string | undefined = ''; query !== undefined;) {
      const { CALLINFO } = await maker.must('GET', `/link?limit=2${query}`)
      const { links, next } = CALLINFO as unknown as { links: { id: string }[]; next?: string }
      pages.push(links.map(({ id }) => id))
      query = next && `&next=${next}`
    }
    expect(pages).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)])
    expect((await maker.must('GET', '/link')).CALLINFO).not.toHaveProperty('next')
    const other = await appliance.login()
    expect((await other.must('GET', `/link?next=${String(made[0])}`)).CALLINFO['links']).toEqual([])
    for (const query of ['limit=0', 'limit=1001', 'next=-1', 'next=abc', 'next='])
      expectFault(await maker.get(`/link?${query}`), 400, 1804)
  })

  it('a service account has none', async () => {
    await givenMaker()
    const service = await addService(appliance, user)
    const { key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
    const client = await loggedIn(appliance.client(), byKey(service.name, key))
    expectFault(await client.post('/link', { ciphertext: Buffer.alloc(64).toString('base64') }), 400, 1761)
  })

  it('the trail says who made it and when it was opened, and not by what', async () => {
    await givenMaker()
    const link = await makeLink(maker)
    const opened = await open(link.opener)
    const refused = await open(link.opener)
    const named = eventsOf(appliance).filter(({ subject }) => subject === `link ${link.id}`)
    expect(named).toMatchObject([
      { operation: 'link.create', outcome: 'allowed', userId: user.id },
      { operation: 'link.open', outcome: 'allowed', requestId: requestIdOf(opened) },
    ])
    const outcomes = outcomesIn(appliance.config.audit.directory)
    expect(outcomes.get(requestIdOf(opened))).toEqual(['allowed'])
    expect(outcomes.get(requestIdOf(refused))).toEqual(['link.not_found'])
    expect(appliance.trail.join('')).not.toContain(link.opener)
    expect(appliance.journal).not.toContain(link.opener)
    expect(JSON.stringify(opened.json.DATA)).not.toContain(link.opener)
  })
}

onBothDatabases('a link is opened', openOnce, settings)

it('links are off unless the operator turns them on', async () => {
  const appliance = await TestAppliance.own({ links: { enabled: false } })
  const client = await appliance.login()
  expectFault(await client.get('/link'), 403, 1763)
  expectFault(await client.post('/link', { ciphertext: Buffer.alloc(64).toString('base64') }), 403, 1763)
  expectFault(await client.call('DELETE', '/link/1'), 403, 1763)
  expectFault(await openLink(appliance.client(), { opener: 'A'.repeat(22) }), 403, 1763)
  await appliance.close()
})
