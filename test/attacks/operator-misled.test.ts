import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { provenRows } from '../../src/console/root-keys/proven-rows.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { strongroom } from '../support/console-kit.ts'
import { editDatabase, inDatabase, putRows, rowsOf } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/**
 * The attacker writes to the database: he hides rows while the operator runs a command that asks the database what there
 * is, and puts them back afterwards.
 */

interface Hiding {
  readonly table: string
  readonly where: string
  /** The rows are deleted where it is missing. */
  readonly set?: string
}

/** Runs the work while these rows are edited or deleted, and puts them back. */
async function withHidden<T>(appliance: TestAppliance, hidings: readonly Hiding[], work: () => Promise<T>): Promise<T> {
  const rows = inDatabase(appliance, (connection) =>
    hidings.map(({ table, where, set }) => {
      const hidden = rowsOf(connection, table, where)
      connection.exec(
        set === undefined ? `DELETE FROM ${table} WHERE ${where}` : `UPDATE ${table} SET ${set} WHERE ${where}`,
      )
      return hidden
    }),
  )
  try {
    return await work()
  } finally {
    inDatabase(appliance, (connection) => {
      for (const [at, { table, set }] of hidings.entries()) {
        // A row whose primary key was edited is there twice otherwise.
        if (set?.startsWith('vault_id')) connection.exec(`DELETE FROM ${table} WHERE ${set}`)
        putRows(connection, table, rows[at] ?? [])
      }
    })
  }
}

describe('an Admin of a vault', () => {
  const appliance = applianceForTests(() => TestAppliance.own())
  let vault: TestVault
  let admin: number
  let mallory: TestUser
  let client: TestClient
  beforeAll(async () => {
    mallory = await appliance.addUser()
    client = await appliance.login(mallory)
  })
  beforeEach(async () => {
    vault = await makeVault(appliance)
    const [row] = await appliance.store.query<{ id: number }>(
      `SELECT user_id AS id FROM vault_members WHERE vault_id = ${vault.id}`,
      [],
    )
    admin = Number(row?.id)
  })

  const run = (...args: string[]) => strongroom(appliance.configFile, args)
  const member = () => ({ table: 'vault_members', where: `user_id = ${admin}` })
  const user = () => ({ table: 'users', where: `id = ${admin}` })
  const hidings: Readonly<Record<string, () => readonly Hiding[]>> = {
    'whose membership is hidden': () => [member()],
    'whose membership shows another permission': () => [{ ...member(), set: 'permission = 1' }],
    'whose membership is moved to another vault': () => [{ ...member(), set: 'vault_id = 999' }],
    'whose account is hidden': () => [user()],
    'whose account is shown as disabled': () => [{ ...user(), set: 'capabilities = 0' }],
    'who is shown as on hold': () => [{ ...user(), set: 'recoveries = 7' }],
  }

  it.each(Object.entries(hidings))('%s keeps the vault from being adopted', async (_, hiding) => {
    const { status } = await withHidden(appliance, hiding(), () => run('vault', 'adopt', vault.id, mallory.username))
    expect([verdict(await client.get(`/vault/${vault.id}`)), status]).toEqual(['404 1400', 3])
  })

  it.each(Object.entries(hidings))('%s keeps the operator from confirming another member', async (_, hiding) => {
    const recovered = await appliance.addUser()
    await vault.share(String(recovered.id), 'Read')
    await appliance.login(recovered)
    const passphrase = 'eleven grey lanterns over snow'
    const reset = await strongroom(
      appliance.configFile,
      ['user', 'passphrase', recovered.username, '--passphrase-file', '-'],
      passphrase,
    )
    expect(reset.status).toBe(0)
    const member = await appliance.login({ ...recovered, passphrase })
    const { status } = await withHidden(appliance, hiding(), () =>
      run('vault', 'confirm', vault.id, recovered.username),
    )
    expect([verdict(await member.get(`/vault/${vault.id}`)), status]).toEqual(['403 1302', 3])
  })
})

it('a member who is in no row any more keeps the vault from being adopted until the operator says how many there are', async () => {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const [admin, gone, next] = [await appliance.addUser(), await appliance.addUser(), await appliance.addUser()]
  const vault = await makeVault(appliance, 'Left', await appliance.login(admin))
  await vault.share(String(gone.id), 'Read')
  const run = async (...args: string[]) => (await strongroom(appliance.configFile, args)).status
  expect(await run('user', 'disable', admin.username)).toBe(0)
  editDatabase(appliance, `DELETE FROM vault_members WHERE user_id = ${gone.id}`)
  const adopt = (...missing: string[]) => run('vault', 'adopt', vault.id, next.username, ...missing)
  expect([await adopt(), await adopt('--missing', '2'), await adopt('--missing', '1')]).toEqual([3, 3, 0])
  expect(await (await appliance.login(next)).must('GET', `/vault/${vault.id}`)).toBeDefined()
})

it('a key that was never changed is missing where its rows are hidden', async () => {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const vault = await makeVault(appliance)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/made`, { type: 'aes256-gcm96', allow_backup: true })
  const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/made`)
  await vault.admin.must('POST', `/transparent/restore/${vault.id}/restored`, {
    backup: (KEYS as { backup: string }).backup,
  })
  const hidden = ['transparent_keys', 'key_versions'].map((table) => ({ table, where: '1 = 1' }))
  const { missing } = await withHidden(appliance, hidden, () => provenRows(appliance.hsm, appliance.store.read))
  expect(missing).toEqual(['transparent key 2', 'transparent key 2'])
})

describe('what lies under an older root key', () => {
  const rotating = ['--json', 'root-keys', 'rotate']

  /** Rotates a root key, and destroys its older version while these rows are hidden. */
  async function destroyedWhile(appliance: TestAppliance, role: string, hidings: readonly Hiding[]) {
    return withHidden(appliance, hidings, () =>
      strongroom(appliance.configFile, [...rotating, role, '--destroy-unused', '--yes']),
    )
  }

  const under = (kek: string, set?: string): Hiding[] =>
    ['key_versions', 'otp_devices'].map((table) => ({ table, where: `kek = '${kek}'`, ...(set && { set }) }))
  const hidings: Readonly<Record<string, readonly Hiding[]>> = {
    'whose rows are deleted': under('strict.v1'),
    'whose rows show another root key': under('strict.v1', `kek = 'strict.v2'`),
    'whose keys are deleted as a whole': [{ table: 'transparent_keys', where: '1 = 1' }, ...under('strict.v1')],
    'whose vaults and keys are deleted, and whose users show no factor': [
      ...['vaults', 'vault_members', 'transparent_keys'].map((table) => ({ table, where: '1 = 1' })),
      { table: 'users', where: '1 = 1', set: `factors = ''` },
      ...under('strict.v1'),
    ],
  }

  it.each(Object.entries(hidings))('%s is not lost when the operator destroys what is unused', async (_, hiding) => {
    // The pause before a version is destroyed is as long as a request may take.
    const appliance = await TestAppliance.own({ hsm: { deadlineMs: 2_000 } })
    onTestFinished(() => appliance.close())
    const vault = await makeVault(appliance)
    const ciphertext = await vault.encrypt('k', 'AAAA')
    expect(await strongroom(appliance.configFile, [...rotating, 'kek.strict'])).toMatchObject({ status: 0 })
    const { status } = await destroyedWhile(appliance, 'kek.strict', hiding)
    await appliance.stop()
    await appliance.restart()
    expect([await vault.decrypt('k', ciphertext).catch(String), status]).toEqual(['AAAA', 3])
  })
})
