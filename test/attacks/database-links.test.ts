import { beforeAll, expect, it } from 'vitest'
import { createDecipheriv, hash } from 'node:crypto'
import { LinkTable, type Link } from '../../src/features/links/records.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { verdict } from '../support/fault-kit.ts'
import type { TestClient } from '../support/client.ts'
import { listedLink, makeLink, openLink, type TestLink } from '../support/link-kit.ts'

/** The attacker has the database: he reads, alters, forges and puts back rows of one-time links. */
const appliance = applianceForTests(() => TestAppliance.own())
let maker: TestClient

beforeAll(async () => {
  maker = await appliance.login()
})

const opens = async (link: Pick<TestLink, 'opener'>) => verdict(await openLink(appliance.client(), link))
const rowOf = ({ id }: Pick<TestLink, 'id'>): Promise<Link> =>
  appliance.store.read.findOneByOrFail(LinkTable, { id: Number(id) })
const putBack = async (row: Link): Promise<void> => {
  await appliance.store.transaction((tx) => tx.update(LinkTable, { id: row.id }, { ...row }))
}

it('has nothing of a row that opens it: the text is hashed, and the key never comes here', async () => {
  const link = await makeLink(maker)
  const row = await rowOf(link)
  expect(JSON.stringify(row)).not.toContain(link.opener)
  expect(row.opener).toEqual(hash('sha256', link.opener, 'buffer'))
  expect(await opens({ opener: row.opener.toString('base64url').slice(0, 22) })).toBe('404 1760')
  const ciphertext = row.ciphertext ?? Buffer.alloc(0)
  for (const key of [row.identity, row.opener, row.seal, row.digest]) {
    const decipher = createDecipheriv('aes-256-gcm', hash('sha256', key, 'buffer'), ciphertext.subarray(0, 12))
    decipher.setAuthTag(ciphertext.subarray(-16))
    decipher.update(ciphertext.subarray(12, -16))
    expect(() => decipher.final()).toThrow()
  }
  expect(await opens(link)).toBe('done')
})

it.each([
  ['another ciphertext', `ciphertext = '${Buffer.alloc(64).toString('base64')}'`],
  ['a longer time', 'expires_at = expires_at + 1000000'],
  ['another digest', `digest = '${Buffer.alloc(32).toString('base64')}'`],
  ['another maker', 'user_id = (SELECT max(id) FROM users)'],
  ['another text by which it is opened', `opener = '${hash('sha256', 'A'.repeat(22), 'base64')}'`],
  ['no seal', "seal = ''"],
])('opens none that was given %s', async (what, edit) => {
  await appliance.addUser()
  const link = await makeLink(maker)
  await appliance.sql(`UPDATE one_time_links SET ${edit} WHERE id = ${link.id}`)
  expect(await opens(what.startsWith('another text') ? { opener: 'A'.repeat(22) } : link)).toBe('503 1903')
})

it('refuses an opened link whose earlier row was put back', async () => {
  const link = await makeLink(maker)
  const before = await rowOf(link)
  expect(await opens(link)).toBe('done')
  await putBack(before)
  expect(await listedLink(maker, link)).toMatchObject({ state: 'waiting' })
  expect(await opens(link)).toBe('503 1911')
})

it('refuses a revoked link whose earlier row was put back', async () => {
  const link = await makeLink(maker)
  const before = await rowOf(link)
  await maker.must('DELETE', `/link/${link.id}`)
  await putBack(before)
  expect(await opens(link)).toBe('503 1911')
})

it('opens no copy of a link under another text', async () => {
  const link = await makeLink(maker)
  const { id: _, ...row } = await rowOf(link)
  const opener = hash('sha256', 'B'.repeat(22), 'buffer')
  await appliance.store.transaction((tx) => tx.insert(LinkTable, { ...row, opener }))
  expect(await opens({ opener: 'B'.repeat(22) })).toBe('503 1903')
  expect(await opens(link)).toBe('done')
})
