import { randomBytes } from 'node:crypto'
import { findKey, type StoredKey } from '../../src/features/transparent/records.ts'
import type { TestAppliance } from './appliance.ts'
import type { TestVault } from './vault.ts'

export const freshKeyName = (): string => `key-${randomBytes(4).toString('hex')}`

/** The rows of a key. */
export async function storedKey(
  { store }: Pick<TestAppliance, 'store'>,
  vaultId: number | string,
  name: string,
): Promise<StoredKey> {
  const stored = await findKey(store.read, Number(vaultId), name)
  if (stored === undefined) throw new Error(`no key ${name}`)
  return stored
}

/** Makes a key in the vault. Resolves to its rows. */
export async function makeKey(
  appliance: Pick<TestAppliance, 'store'>,
  { id, admin }: TestVault,
  flags: Readonly<Record<string, unknown>> = {},
): Promise<StoredKey> {
  const name = freshKeyName()
  await admin.must('POST', `/transparent/${id}/keys/${name}`, { type: 'aes256-gcm96', ...flags })
  return storedKey(appliance, id, name)
}
