import { expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { editDatabase, inDatabase, putRows, readDatabase, rowsOf } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The attacker writes to the database, has a vault of his own, and the backup of a key that another vault's member took
 * out.
 */
const appliance = applianceForTests(() => TestAppliance.own())

it.each([
  ['that is made up', undefined],
  ['that he had', 'Admin'],
] as const)('restores no backup of another vault by a membership there %s', async (_, had) => {
  const vault = await makeVault(appliance)
  const ciphertext = await vault.encrypt('k', 'AAAA', {})
  const { backup } = (await vault.admin.must('GET', `/transparent/backup/${vault.id}/k`))['KEYS'] as { backup: string }
  const user = await appliance.addUser()
  const mallory = await makeVault(appliance, 'Mine', await appliance.login(user))
  const membership = `vault_id = ${vault.id} AND user_id = ${user.id}`
  if (had !== undefined) await vault.share(String(user.id), had)
  const membershipOf = (where: string) =>
    readDatabase(appliance, (connection) => rowsOf(connection, 'vault_members', where))[0]
  const row = membershipOf(membership)
  if (had !== undefined) await vault.share(String(user.id), undefined)
  const forged = row ?? { ...membershipOf(`vault_id = ${vault.id}`), user_id: user.id }
  inDatabase(appliance, (connection) => putRows(connection, 'vault_members', [forged]))
  const restored = await mallory.admin.post(`/transparent/restore/${mallory.id}/stolen`, { backup })
  editDatabase(appliance, `DELETE FROM vault_members WHERE ${membership}`)
  const decrypted = await mallory.admin.post(`/transparent/${mallory.id}/decrypt/stolen`, { ciphertext })
  expect([verdict(decrypted), verdict(restored)]).toEqual(['404 1500', expect.stringMatching(/^503 19(03|11)$/)])
})

it('keeps no backup that the operator has let in from being restored, by rows of the vault that it is of', async () => {
  const vault = await makeVault(appliance)
  await vault.encrypt('k', 'AAAA', {})
  const { backup } = (await vault.admin.must('GET', `/transparent/backup/${vault.id}/k`))['KEYS'] as { backup: string }
  const other = await makeVault(appliance, 'Other', vault.admin)
  const accepting = ['vault', 'accept-backup', other.id, '-']
  expect(await strongroom(appliance.configFile, accepting, backup)).toMatchObject({ status: 0 })
  editDatabase(appliance, `UPDATE vault_members SET generation = generation + 1 WHERE vault_id = ${vault.id}`)
  expect(verdict(await vault.admin.post(`/transparent/restore/${other.id}/again`, { backup }))).toBe('done')
})
