import { expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { inDatabase } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { createObject } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The attacker writes to the database and is an ordinary user. He shares a vault of his own with the members of another
 * one, and exchanges the numbers by which programs know the two; or he moves an object.
 */
const appliance = applianceForTests(() => TestAppliance.own())

/** Exchanges the numbers of two vaults in all tables but that of names. */
function exchange(one: string, other: string): void {
  inDatabase(appliance, (database) => {
    const columnsOf = (table: string) =>
      database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    for (const table of tables) {
      const column = table === 'vaults' ? 'id' : 'vault_id'
      if (!columnsOf(table).includes(column)) continue
      for (const [from, to] of [
        [one, -1],
        [other, one],
        [-1, other],
      ])
        database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(to, from)
    }
    const names = database.prepare<[string], string>('SELECT name FROM vaults WHERE id = ?').pluck()
    const [ofOne, ofOther] = [names.get(one), names.get(other)]
    for (const [id, name] of [
      [one, ofOther],
      [other, ofOne],
    ])
      database.prepare('UPDATE vaults SET name = ? WHERE id = ?').run(name, id)
  })
}

it('gets nothing that is written to the number of another vault, and is seen in the trail', async () => {
  const victim = await appliance.addUser()
  const vault = await makeVault(appliance, 'Payroll', await appliance.login(victim))
  const before = await vault.encrypt('k', 'b2xk')
  const object = await createObject(vault.admin, vault.id, { cryptedinfo: 'hidden' })
  const mallory = await makeVault(appliance, 'Mine')
  await mallory.encrypt('k', 'AAAA')
  await mallory.share(String(victim.id), 'Admin')
  exchange(vault.id, mallory.id)
  for (const [session, ...ids] of [
    [vault.admin, vault.id, mallory.id],
    [await appliance.login(victim), vault.id, mallory.id],
    [mallory.admin, vault.id],
  ] as const)
    for (const id of ids) {
      expect(verdict(await session.post(`/transparent/${id}/encrypt/k`, { plaintext: 'bmV3' }))).toBe('503 1911')
      expect(verdict(await session.post(`/transparent/${id}/decrypt/k`, { ciphertext: before }))).not.toBe('done')
    }
  expect(verdict(await mallory.admin.get(`/object/${object}?decrypt=true`))).not.toBe('done')
  const { stdout } = await strongroom(appliance.configFile, ['--json', 'audit', 'verify', '--database'])
  const rows = JSON.parse(stdout).database.findings.map(({ row }: { row: string }) => row)
  expect(rows).toEqual(expect.arrayContaining([`vault ${vault.id}`, `vault ${mallory.id}`]))
  // Back as it was, all goes on.
  exchange(vault.id, mallory.id)
  expect(await vault.decrypt('k', before)).toBe('b2xk')
})

it('has the operator let no backup into another vault than that of the number', async () => {
  const vault = await makeVault(appliance, 'Ledgers')
  const mallory = await makeVault(appliance, 'Theirs')
  const lost = await makeVault(appliance, 'Lost')
  for (const one of [vault, mallory, lost]) await one.encrypt('k', 'AAAA')
  const { KEYS } = await lost.admin.must('GET', `/transparent/backup/${lost.id}/k`)
  const { backup } = KEYS as { backup: string }
  const accept = () => strongroom(appliance.configFile, ['vault', 'accept-backup', vault.id, '-'], backup)
  exchange(vault.id, mallory.id)
  const { status } = await accept()
  exchange(vault.id, mallory.id)
  const restored = await mallory.admin.post(`/transparent/restore/${mallory.id}/stolen`, { backup })
  expect([status, verdict(restored)]).toEqual([3, '403 1519'])
  expect((await accept()).status).toBe(0)
})

it('gets what is written to an object that the database moves into the vault, and is seen by the trail', async () => {
  const victim = await appliance.addUser()
  const vault = await makeVault(appliance, 'Payroll', await appliance.login(victim))
  const object = await createObject(vault.admin, vault.id, { cryptedinfo: 'hidden' })
  const mallory = await makeVault(appliance, 'Mine')
  await mallory.share(String(victim.id), 'Write')
  await appliance.sql(`UPDATE vault_objects SET vault_id = ${mallory.id} WHERE id = ${object}`)
  const read = () => mallory.admin.get(`/object/${object}?decrypt=true`)
  expect(JSON.stringify(await read())).not.toContain('hidden')
  await vault.admin.must('PUT', `/object/${object}`, { password: 'newer', cryptedinfo: 'new' })
  expect((await read()).json).toMatchObject({ OBJECT: [{ crypted: { password: 'newer', cryptedinfo: 'new' } }] })
  const { stdout } = await strongroom(appliance.configFile, ['--json', 'audit', 'verify', '--database'])
  expect(JSON.parse(stdout).database.findings).toMatchObject([{ row: `object ${object}`, kind: 'changed' }])
})
