import type Database from 'better-sqlite3'
import { beforeAll, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import type { TestClient } from '../support/client.ts'
import { editDatabase, inDatabase, putRows, readDatabase, rowsOf, type Row } from '../support/database-owner.ts'
import { createObject } from '../support/object-kit.ts'

// The attacker writes to the database, but not to the audit trail: rows that he puts back or forges are reported.

const appliance = applianceForTests(() => TestAppliance.own())
let alice: TestUser
let bob: TestUser
let client: TestClient
let vaultId: string
/** An object that was moved into the vault with one that lies in it. */
let moved: string
/** Rows before the last changes, by table. */
const yesterday = new Map<string, readonly Row[]>()

const vaultOf = async (vaultname: string): Promise<string> =>
  ((await client.must('POST', '/vault', { vaultname }))['VAULT'] as [{ id: string }])[0].id

beforeAll(async () => {
  alice = await appliance.addUser(['read', 'createVault', 'active', 'admin'])
  bob = await appliance.addUser()
  client = await appliance.login(alice)
  vaultId = await vaultOf('Ledgers')
  const doomed = await vaultOf('Doomed')
  moved = await createObject(client, doomed)
  await createObject(client, doomed, { parentid: moved })
  for (const name of ['payroll', 'greeting'])
    await client.must('POST', `/transparent/${vaultId}/encrypt/${name}`, { plaintext: 'AAAA' })
  await client.must('POST', `/vault/${vaultId}/member/${bob.id}`, { status: 4 })
  readDatabase(appliance, (connection) => {
    for (const table of ['transparent_keys', 'vault_members', 'users', 'otp_devices', 'vaults', 'vault_objects'])
      yesterday.set(table, rowsOf(connection, table))
  })
  await client.must('POST', `/transparent/${vaultId}/keys/payroll/rotate`)
  await client.must('PUT', `/transparent/${vaultId}/keys/payroll`, { allow_backup: false })
  await client.must('PUT', `/vault/${vaultId}/member/${bob.id}`, { status: 1 })
  await client.must('POST', `/object/${moved}/move`, { groupid: vaultId, parentid: 0 })
  await client.must('POST', `/object/${moved}/copy`, { parentid: 0 })
  await client.must('DELETE', `/object/${await createObject(client, vaultId)}`)
  await client.must('DELETE', `/vault/${doomed}`)
  await appliance.login(alice)
})

const verify = async () => {
  const { status, stdout, stderr } = await strongroom(appliance.configFile, ['--json', 'audit', 'verify', '--database'])
  expect(stderr).toBe('')
  const { chains, database: rows } = JSON.parse(stdout)
  expect(chains.flatMap(({ findings }: { findings: unknown[] }) => findings)).toEqual([])
  return { status, rows: rows as { compared: number; findings: { row: string; kind: string; detail: string }[] } }
}

/** The findings after `edit`, which is then undone. */
async function foundAfter(edit: (connection: Database.Database) => void): Promise<[row: string, kind: string][]> {
  const tables = [...yesterday.keys()]
  const rows = inDatabase(appliance, (connection) => {
    const before = tables.map((table) => rowsOf(connection, table))
    edit(connection)
    return before
  })
  const { status, rows: report } = await verify()
  inDatabase(appliance, (connection) => {
    for (const [at, table] of tables.entries()) {
      connection.exec(`DELETE FROM ${table}`)
      putRows(connection, table, rows[at] ?? [])
    }
  })
  expect(status).toBe(report.findings.length === 0 ? 0 : 1)
  return report.findings.map(({ row, kind }) => [row, kind])
}

const putBack =
  (table: string, which: (row: Row) => boolean) =>
  (connection: Database.Database): void =>
    putRows(connection, table, (yesterday.get(table) ?? []).filter(which))

it('finds nothing in rows as the appliance left them', async () => {
  const { status, rows } = await verify()
  expect({ status, findings: rows.findings }).toEqual({ status: 0, findings: [] })
  // Two objects were moved, two copied, and one was deleted.
  expect(rows.compared).toBeGreaterThanOrEqual(5 + 5)
})

it('names the row of a key that was put back, with the flags and the version that it had', async () => {
  const found = await foundAfter(putBack('transparent_keys', ({ name }) => name === 'payroll'))
  expect(found).toEqual([[`key ${vaultId}/payroll`, 'older']])
})

it('names a key whose flags no record tells, and one that is gone', async () => {
  const edit = `UPDATE transparent_keys SET allow_export = 1 WHERE name = 'payroll'`
  expect(await foundAfter((connection) => connection.exec(edit))).toEqual([[`key ${vaultId}/payroll`, 'changed']])
  const removal = `DELETE FROM transparent_keys WHERE name = 'greeting'`
  expect(await foundAfter((connection) => connection.exec(removal))).toEqual([[`key ${vaultId}/greeting`, 'missing']])
})

it('names a membership that was put back, and one that was made up', async () => {
  const member = `member ${vaultId}/${bob.id}`
  expect(await foundAfter(putBack('vault_members', ({ user_id }) => user_id === bob.id))).toEqual([[member, 'older']])
  const made = await foundAfter((connection) => {
    const [row = {}] = yesterday.get('vault_members') ?? []
    const made = { ...row, vault_id: Number(vaultId), user_id: 4711, added_at: Date.now() }
    putRows(connection, 'vault_members', [made])
  })
  expect(made).toEqual([[`member ${vaultId}/4711`, 'unknown']])
})

it('names capabilities that nobody gave', async () => {
  const edit = `UPDATE users SET capabilities = capabilities + 256 WHERE id = ${alice.id}`
  expect(await foundAfter((connection) => connection.exec(edit))).toEqual([[`user ${alice.id}`, 'changed']])
})

it('names an object that was put back into the vault out of which it was moved, and one of another template', async () => {
  const found = await foundAfter(putBack('vault_objects', ({ id }) => String(id) === moved))
  expect(found).toEqual([[`object ${moved}`, 'older']])
  const edit = `UPDATE vault_objects SET template_id = 2 WHERE id = ${moved}`
  expect(await foundAfter((connection) => connection.exec(edit))).toEqual([[`object ${moved}`, 'changed']])
})

it('names a deleted vault and its members that were put back', async () => {
  const found = await foundAfter((connection) => {
    putBack('vaults', ({ name }) => name === 'Doomed')(connection)
    putBack('vault_members', ({ vault_id }) => vault_id !== Number(vaultId))(connection)
  })
  expect(found.map(([, kind]) => kind)).toEqual(['removed', 'removed'])
})

it('names an OTP counter that went back, and takes one that went on', async () => {
  const counters = (change: string) => (connection: Database.Database) =>
    void connection.exec(
      `UPDATE otp_devices SET counter = ${change} WHERE kind = 'hwkey_otp' AND user_id = ${alice.id}`,
    )
  expect(await foundAfter(counters('0'))).toMatchObject([[expect.stringMatching(/^device \d+$/), 'older']])
  expect(await foundAfter(counters('counter + 1000'))).toEqual([])
})

it('names a membership on hold that was put in force, by the row of the member or by that of the user', async () => {
  await client.must('PUT', `/user/${bob.id}/passphrase`, { newpassphrase: 'eleven grey lanterns over snow' })
  const edits = [
    [`UPDATE vault_members SET recoveries = 1 WHERE user_id = ${bob.id}`, `member ${vaultId}/${bob.id}`],
    [`UPDATE users SET recoveries = 0 WHERE id = ${bob.id}`, `user ${bob.id}`],
  ] as const
  for (const [edit, row] of edits)
    expect(await foundAfter((connection) => connection.exec(edit))).toEqual([[row, 'changed']])
})

it('names a vault that keeps fewer earlier versions than its Admins said, or as many as before', async () => {
  await client.must('PUT', `/vault/${vaultId}`, { history: 3 })
  const keeping = (number: number) => (connection: Database.Database) =>
    void connection.exec(`UPDATE vaults SET history = ${number} WHERE id = ${vaultId}`)
  expect(await foundAfter(keeping(0))).toEqual([[`vault ${vaultId}`, 'changed']])
  expect(await foundAfter(keeping(10))).toEqual([[`vault ${vaultId}`, 'older']])
})

it('names a disabled version that was enabled again, however many a key has, in records that do not grow with them', async () => {
  const keys = `/transparent/${vaultId}/keys/payroll`
  for (let rotated = 0; rotated < 200; rotated += 4)
    await Promise.all(Array.from({ length: 4 }, () => client.must('POST', `${keys}/rotate`)))
  const changed = () => appliance.trail.flatMap((text) => text.split('\n')).filter((line) => line.includes(keyRow))
  const keyRow = `"key ${vaultId}/payroll":`
  const disable = (version: number) => client.must('PUT', `${keys}/versions/${version}`, { enabled: false })
  for (let version = 1; version <= 100; version++) await disable(version)
  const lengthOfHundred = changed().at(-1)?.length ?? 0
  for (let version = 101; version <= 180; version++) await disable(version)
  expect(changed().at(-1)?.length).toBeLessThanOrEqual(lengthOfHundred)
  expect(changed().at(-1)).toMatch(/ disabled=sha256:[0-9a-f]{32}"/)
  expect((await verify()).rows.findings).toEqual([])
  const enable = 'UPDATE key_versions SET disabled = 0 WHERE version = 170'
  editDatabase(appliance, enable)
  const { rows } = await verify()
  expect(rows.findings.map(({ row, kind }) => [row, kind])).toEqual([[`key ${vaultId}/payroll`, 'changed']])
})
