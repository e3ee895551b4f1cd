import { expect } from 'vitest'
import {
  closeLink,
  findWaiting,
  insertLink,
  LinkTable,
  sweepLinks,
  type Link,
} from '../../../src/features/links/records.ts'
import { alice, describeUpgrade } from '../../support/earlier-database.ts'

const bytes = (value: number) => Buffer.alloc(32, value)
const waiting: Omit<Link, 'id'> = {
  userId: 1,
  identity: bytes(1),
  opener: bytes(2),
  label: 'För Kim 🔑',
  ciphertext: bytes(3),
  digest: bytes(4),
  state: 'waiting',
  createdAt: 10,
  expiresAt: 1_000,
  closedAt: null,
  generation: 1,
  seal: bytes(5),
}

describeUpgrade(
  'users of before make links, each of which is closed once',
  { before: 'OneTimeLinks1700000000037', statements: [alice] },
  async (store) => {
    const id = await store.transaction((tx) => insertLink(tx, waiting))
    const again = store.transaction((tx) => insertLink(tx, { ...waiting, identity: bytes(9) }))
    await expect(again).rejects.toMatchObject({ code: 'store.conflict' })
    expect(await findWaiting(store.read, waiting.opener, 999)).toEqual({ ...waiting, id })
    expect(await findWaiting(store.read, waiting.opener, 1_000)).toBeNull()
    const end = { state: 'opened', closedAt: 20, generation: 2, seal: bytes(6) } as const
    const ends = Array.from({ length: 10 }, () => store.transaction((tx) => closeLink(tx, { id, generation: 1 }, end)))
    expect((await Promise.all(ends)).filter((closed) => closed)).toHaveLength(1)
    expect(await store.read.findOneBy(LinkTable, { id })).toEqual({ ...waiting, id, ...end, ciphertext: null })
    expect(await findWaiting(store.read, waiting.opener, 999)).toBeNull()

    const other = { ...waiting, identity: bytes(7), opener: bytes(8), expiresAt: 2_000 }
    await store.transaction((tx) => insertLink(tx, other))
    expect(await store.transaction((tx) => sweepLinks(tx, 1_999, 999))).toBe(0)
    expect(await store.transaction((tx) => sweepLinks(tx, 2_000, 1_000))).toBe(2)
    expect(await store.read.find(LinkTable)).toMatchObject([{ ...other, ciphertext: null }])
  },
)
