import { expect } from 'vitest'
import { insertPasskey, notePasskeyUse, PasskeyTable } from '../../../src/features/passkeys/records.ts'
import { alice, describeUpgrade } from '../../support/earlier-database.ts'

describeUpgrade(
  'a credential is of one user, and its count only rises',
  { before: 'Passkeys1700000000038', statements: [alice] },
  async (store) => {
    const made = {
      userId: 1,
      name: 'Telephone',
      publicKey: '{}',
      seal: Buffer.alloc(32),
      signCount: 0,
      createdAt: 1,
      usedAt: null,
    }
    const add = (first: number) =>
      store.transaction((tx) => insertPasskey(tx, { ...made, credentialId: Buffer.alloc(32, first) }))
    const passkey = await add(1)
    await expect(add(1)).rejects.toMatchObject({ code: 'store.conflict' })
    const use = (signCount: number) => store.transaction((tx) => notePasskeyUse(tx, passkey, signCount, 7))
    const counts: boolean[] = []
    for (const count of [0, 3, 3, 2, 0, 4]) counts.push(await use(count))
    expect(counts).toEqual([true, true, false, false, false, true])
    expect(await store.read.find(PasskeyTable, {})).toEqual([{ ...passkey, signCount: 4, usedAt: 7 }])
  },
)
