import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { readNewest, type PageRequest } from '../../../src/audit/reading/newest-first.ts'
import type { TrailRecord } from '../../../src/audit/reading/trail-record.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { TestClient } from '../../support/client.ts'
import { verdict } from '../../support/fault-kit.ts'
import { givenDirectory } from '../../support/trail-kit.ts'
import { createObject } from '../../support/object-kit.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

interface Item {
  readonly operation: string
  readonly vaultid?: string
  readonly username?: string
  readonly outcome: string
}

const appliance = applianceForTests(() => TestAppliance.own())
let user: TestUser
let auditor: TestClient
let shared: TestVault
let other: TestVault

beforeAll(async () => {
  user = await appliance.addUser(['read', 'audit', 'active'])
  auditor = await appliance.login(user)
  ;[shared, other] = [await makeVault(appliance), await makeVault(appliance)]
  await shared.share(String(user.id), 'Read')
  for (const vault of [shared, other]) await vault.encrypt('orders', 'AAAA')
  const administrator = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
  const made = { username: 'audited', fullname: 'Au Dited', email: 'a@example.test', status: 129 }
  await administrator.must('POST', '/user', { ...made, passphrase: 'seven wooden lanterns on water' })
  await administrator.must('GET', '/vault')
  // Refused, but still a record about administration.
  expect(verdict(await shared.admin.post('/user', made))).toBe('403 1300')
})

async function read(query = '', client = auditor): Promise<{ records: Item[]; next: string | undefined }> {
  const { CALLINFO, RECORDS } = await client.must('GET', `/audit?${query}`)
  return { records: RECORDS as Item[], next: (CALLINFO as { next?: string }).next }
}

describe('GET /audit', () => {
  it('shows what concerns the vaults of the caller, and administrators', async () => {
    const { records } = await read('limit=100')
    expect(new Set(records.map(({ vaultid }) => vaultid))).toEqual(new Set([shared.id, undefined]))
    expect(
      records.filter(({ vaultid }) => vaultid === undefined).map(({ operation, outcome }) => `${operation} ${outcome}`),
    ).toEqual(['user.create access.capability', 'user.create allowed'])
    expect(records.map(({ operation }) => operation)).toContain('transparent.encrypt')
    expect(JSON.stringify(records)).not.toContain('rows')
  })

  it('goes through pages, each record once, newest first', async () => {
    const all = (await read('limit=100')).records
    const paged: Item[] = []
    let next: string | undefined = ''
    for (let pages = 0; next !== undefined && pages < 50; pages += 1) {
      const page: Awaited<ReturnType<typeof read>> = await read(`limit=1${next === '' ? '' : `&next=${next}`}`)
      paged.push(...page.records)
      ;({ next } = page)
    }
    expect(paged).toEqual(all)
    expect(all.length).toBeGreaterThan(3)
  })

  it.each([
    ['operation=transparent.*', ['transparent.encrypt']],
    ['outcome=refused', ['user.create']],
    ['user=nobody', []],
    ['subject=no-such-thing', []],
    ['key=orders&operation=transparent.encrypt', ['transparent.encrypt']],
    ['since=2100-01-01T00:00:00Z', []],
    ['until=2001-01-01T00:00:00Z', []],
  ])('with %s shows %j', async (query, operations) => {
    expect((await read(query)).records.map(({ operation }) => operation)).toEqual(operations)
  })

  it('shows what one object went through, and nothing of another whose number begins like it', async () => {
    const object = await createObject(shared.admin, shared.id, { password: 'S3cret-pass.phrase' })
    await shared.admin.must('GET', `/object/${object}?decrypt=true`)
    await shared.admin.must('GET', `/object/${object}`)
    const about = async (subject: string) =>
      (await read(`subject=${encodeURIComponent(subject)}`)).records.map(({ operation }) => operation)
    expect(await about(`object ${object}`)).toEqual(['object.read', 'object.read', 'object.decrypt', 'object.create'])
    expect(await about(`object ${object}: password`)).toEqual(['object.decrypt'])
    expect(await about(`object ${object.slice(0, -1)}`)).not.toContain('object.decrypt')
    expect(await about('object')).toEqual([])
  })

  it('is for users with the capability Audit', async () => {
    expect(verdict(await shared.admin.get('/audit'))).toBe('403 1300')
    expect(verdict(await appliance.client().get('/audit'))).toBe('403 1200')
    expect(verdict(await auditor.get(`/audit?vaultid=${other.id}`))).toBe('404 1400')
    expect((await read(`vaultid=${shared.id}`)).records.length).toBeGreaterThan(0)
  })

  it('shows nothing of a vault whose membership has ended, or was made up in the database', async () => {
    const late = await appliance.addUser(['read', 'audit', 'active'])
    const client = await appliance.login(late)
    await shared.share(String(late.id), 'Read')
    const ofVault = async () => (await read('limit=100', client)).records.filter(({ vaultid }) => vaultid !== undefined)
    expect((await ofVault()).length).toBeGreaterThan(0)
    await shared.share(String(late.id), undefined)
    expect(await ofVault()).toEqual([])
    await appliance.sql(`UPDATE vault_members SET user_id = ${late.id} WHERE vault_id = ${other.id}`)
    expect(await ofVault()).toEqual([])
  })

  it.each(['2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-02-28T24:00:00Z', '2026-01-01T00:00:00'])(
    'refuses %s, which is no time, and does not take another one for it',
    async (moment) => {
      for (const field of ['since', 'until'])
        expect(verdict(await auditor.get(`/audit?${field}=${moment}`))).toBe('400 1804')
    },
  )

  it('refuses a next page that none named', async () => {
    for (const next of ['AAAA', Buffer.from('[["worker-1",-1,0]]').toString('base64url')])
      expect(verdict(await auditor.get(`/audit?next=${next}`))).toBe('400 1804')
    expect(appliance.journal).not.toContain('SyntaxError')
    const madeUp = Buffer.from('[["worker-1",1,99999999],["no-such-chain",7,3]]').toString('base64url')
    expect((await read(`next=${madeUp}`)).records.length).toBeGreaterThan(0)
  })
})

describe('what a page costs', () => {
  const line = (chain: string, seq: number, at: number) =>
    `{"v":1,"chain":"${chain}","seq":${seq},"prev":"${'0'.repeat(64)}","type":"event","at":${at},"operation":"x","requestId":"r","outcome":"allowed"}\n`
  const request: PageRequest = {
    criteria: {},
    isShown: () => true,
    before: undefined,
    mostRecords: 100,
    mostBytes: 4 * 2 ** 20,
  }

  function givenTrail(files: number, perFile: number): string {
    const directory = givenDirectory()
    for (const chain of ['worker-1', 'worker-2'])
      for (let file = 0; file < files; file += 1)
        writeFileSync(
          join(directory, `${chain}.${String(file + 1).padStart(6, '0')}.jsonl`),
          Array.from({ length: perFile }, (_, index) => file * perFile + index)
            .map((seq) => line(chain, seq + 1, seq * 1_000))
            .join(''),
        )
    mkdirSync(join(directory, 'archive'))
    expect(readdirSync(directory)).toHaveLength(files * 2 + 1)
    return directory
  }

  test('is bounded: it ends early, and the next page goes on, until all was looked at', async () => {
    const directory = givenTrail(3, 4_000)
    const seen = new Set<TrailRecord>()
    let before: PageRequest['before']
    let pages = 0
    for (; pages < 200; pages += 1) {
      const isShown = (record: TrailRecord) => seen.add(record) && record.seq % 3_000 === 1
      const page = await readNewest(directory, { ...request, isShown, before, mostBytes: 256 * 1024 })
      if (pages === 0) expect(seen.size).toBeLessThan(4_000)
      before = page.next
      if (before === undefined) break
    }
    expect(pages).toBeGreaterThan(10)
    expect(new Set([...seen].map(({ chain, seq }) => `${chain} ${seq}`)).size).toBe(24_000)
  })

  test('gives each record once, whatever the size of a page', async () => {
    const directory = givenTrail(2, 700)
    const found: string[] = []
    let before: PageRequest['before']
    for (let pages = 0; pages < 400; pages += 1) {
      const page = await readNewest(directory, { ...request, before, mostRecords: 7 })
      found.push(...page.records.map(({ chain, seq }) => `${chain} ${seq}`))
      before = page.next
      if (before === undefined) break
    }
    expect(found).toHaveLength(2_800)
    expect(new Set(found).size).toBe(2_800)
  })

  test('is given while files are archived', async () => {
    const directory = givenTrail(3, 700)
    const isShown = ({ chain }: TrailRecord) => {
      for (const file of [1, 2]) rmSync(join(directory, `${chain}.00000${file}.jsonl`), { force: true })
      return true
    }
    const page = await readNewest(directory, { ...request, isShown, mostRecords: 3_000 })
    expect(page).toMatchObject({ records: { length: 1_400 }, next: undefined })
  })

  test('is as small for a time long ago', async () => {
    const directory = givenTrail(3, 20_000)
    let looked = 0
    const isShown = () => {
      looked += 1
      return true
    }
    const criteria = { since: 10_000_000, until: 10_005_000 }
    const page = await readNewest(directory, { ...request, criteria, isShown })
    expect(page.records).toHaveLength(10)
    expect(looked).toBe(10)
  })
})
