import { createDecipheriv } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { permissionBits, type Permission } from '../../src/access/permission.ts'
import { findVault, type Vault } from '../../src/features/vaults/records.ts'
import { sealedVaultKey } from '../../src/features/vaults/vault-key.ts'
import { sealedVault } from '../../src/features/vaults/vault-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { keyRecord } from '../../src/hsm/key-record.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { fieldAad } from '../../src/hsm/object-aad.ts'
import type { Provenance, WrappedKey } from '../../src/hsm/made-key.ts'
import { vaultKeyPurpose } from '../../src/hsm/provenance.ts'
import { grantIn, newIdentity, sealedGrant } from '../support/grant-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { makeKey } from '../support/stored-keys.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The attacker runs code in a worker. He tries to replace the data key of a vault by another one, which would then
 * encrypt everything that comes into the vault.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)
let vault: Vault

beforeAll(async () => {
  const { id } = await makeVault(appliance)
  const row = await findVault(appliance.store.read, Number(id))
  if (row === null) throw new Error('the vault is not there')
  vault = row
})

const purpose = () => vaultKeyPurpose(Buffer.from(vault.identity, 'hex'))

/** Tries all requests that the keeper might accept. */
async function bind({ kek, blob, provenance }: WrappedKey & Provenance, by: SealedRecord): Promise<SealedRecord> {
  const record = keyRecord('aes256-gcm', { kek, blob }, ['vault key 2', Buffer.from(vault.identity, 'hex')])
  const seal = await worker
    .seal(record, { previous: sealedVault(vault), provenance, grant: by })
    .catch(() => worker.seal(record, { provenance, grant: by }))
  return { record, seal }
}

const creator = () =>
  sealedGrant(appliance.token, {
    user: vault.creator,
    capabilities: capabilitiesOf(['read', 'active', 'createVault']),
  })

it('a key that the attacker knows becomes none of a vault', async () => {
  const known = Buffer.alloc(32, 7)
  const read = async () => {
    const key = await bind(await worker.importSecret('aes256-gcm', Buffer.from(known), purpose()), creator())
    const grant = await grantIn(appliance, vault.id)
    const aad = fieldAad({ id: 1, vaultId: vault.id, templateId: 1 }, 'password', 1)
    const sealed = await worker.encrypt({ key, grant }, Buffer.from('what a member puts there'), aad)
    const decipher = createDecipheriv('aes-256-gcm', known, sealed.subarray(0, 12))
    decipher.setAuthTag(sealed.subarray(-16)).setAAD(aad)
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString()
  }
  await expect(read()).rejects.toMatchObject({ code: 'hsm.rejected' })
})

it('secrets of objects are rewrapped for a vault only by a user with Write there, and only with the aad of an object', async () => {
  const target = await makeVault(appliance)
  const keyOf = async (id: number | string) => {
    const row = await findVault(appliance.store.read, Number(id))
    if (row === null) throw new Error('the vault is not there')
    return sealedVaultKey(row)
  }
  const place = (vaultId: number, id: number) => fieldAad({ id, vaultId, templateId: 1 }, 'password', 1)
  const from = { key: await keyOf(vault.id), grant: await grantIn(appliance, vault.id) }
  const aad = place(vault.id, 1)
  const ciphertext = await worker.encrypt(from, Buffer.from('a password'), aad)
  const to = async (permission: Permission) => ({
    key: await keyOf(target.id),
    grant: await grantIn(appliance, target.id, { permission: permissionBits[permission] }),
  })
  const newAad = place(Number(target.id), 2)
  const writer = await to('Write')
  const made = await worker.rewrap({ from, to: writer, ciphertext, aad, newAad })
  expect((await worker.decrypt(writer, made, newAad)).toString()).toBe('a password')
  const refused = (item: object) => worker.rewrap({ from, to: writer, ciphertext, aad, newAad, ...item })
  await expect(refused({ to: await to('Read') })).rejects.toMatchObject({ code: 'access.permission' })
  await expect(refused({ to: { ...writer, grant: from.grant } })).rejects.toMatchObject({ code: 'access.permission' })
  await expect(refused({ from: { ...from, grant: writer.grant } })).rejects.toMatchObject({ code: 'access.permission' })
  for (const other of [Buffer.from('key version'), Buffer.alloc(0)]) {
    await expect(refused({ newAad: other })).rejects.toMatchObject({ code: 'hsm.rejected' })
    await expect(refused({ aad: other })).rejects.toMatchObject({ code: 'hsm.rejected' })
  }
  const named = await latestReference(appliance, await makeKey(appliance, target), writer.grant)
  await expect(refused({ to: named })).rejects.toMatchObject({ code: 'hsm.rejected' })
})

it.each<[string, () => Promise<SealedRecord> | SealedRecord]>([
  ['without a session', () => ({ record: Buffer.alloc(0), seal: Buffer.alloc(0) })],
  ['by an Admin of the vault', () => grantIn(appliance, vault.id)],
  ['by one who may make vaults', () => sealedGrant(appliance.token, { capabilities: capabilitiesOf(['createVault']) })],
  ['by the maker of the vault, which has its key', creator],
])('a new key takes the place of no other: %s', async (_who, by) => {
  const made = await worker.generate('aes256-gcm', { exportable: false, backup: false, purpose: purpose() })
  await expect(bind(made, await by())).rejects.toMatchObject({ code: 'hsm.rejected' })
})

it('the key of one vault is bound to no other, by the keeper of another machine that shares the token either', async () => {
  const user = newIdentity()
  // Before the second keeper begins, in whose process the test seals.
  const grant = sealedGrant(appliance.token, { user, capabilities: capabilitiesOf(['createVault']) })
  async function vaultBy({ sealNew }: Pick<typeof worker, 'sealNew'>) {
    const recordOf = (identity: Buffer) => composeRecord('vault', { identity, creator: user })
    const { identity, seal } = await sealNew(recordOf(Buffer.alloc(0)), { grant })
    return { identity, sealed: { record: recordOf(identity), seal } }
  }
  type MadeVault = Awaited<ReturnType<typeof vaultBy>>
  const first = await vaultBy(worker)
  const options = { exportable: false, backup: false, purpose: vaultKeyPurpose(first.identity) }
  const { kek, blob, provenance } = await worker.generate('aes256-gcm', options)
  const bound = ({ seal }: Pick<typeof worker, 'seal'>, { identity, sealed: previous }: MadeVault) =>
    seal(keyRecord('aes256-gcm', { kek, blob }, ['vault key 2', identity]), { previous, provenance, grant })
  expect(await bound(worker, first)).toHaveLength(32)
  const other = await startKeeperAt(appliance, Date.now, 'worker')
  try {
    await expect(bound(other.hsm, await vaultBy(other.hsm))).rejects.toMatchObject({ code: 'hsm.seal_broken' })
  } finally {
    await other.close()
  }
})
