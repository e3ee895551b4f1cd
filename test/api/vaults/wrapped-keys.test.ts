import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { objectsIn as tokenObjects } from '../../support/fault-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { emptyLog } from '../../support/database-owner.ts'
import { makeVault } from '../../support/vault.ts'
import { createObject, readObject, upload } from '../../support/object-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own({ hsm: { vaultKeys: 'wrapped' } }))
const vault = vaultForTests(appliance)
let id: string
const content = Buffer.alloc(400_000, 'of a vault with a wrapped key')

beforeAll(async () => {
  id = await createObject(vault.admin, vault.id)
})

const file = () => String(appliance.config.store.sqlite)
const inDatabase = (text: string): boolean =>
  [file(), `${file()}-wal`].some((path) => {
    try {
      return readFileSync(path).includes(text)
    } catch {
      return false
    }
  })
const keyOf = async (vaultId: string) =>
  String(
    (await appliance.store.query<{ key_blob: string }>('SELECT key_blob FROM vaults WHERE id = $1', [vaultId]))[0]
      ?.key_blob,
  )

describe('a vault whose data key is wrapped in the database', () => {
  it('leaves no object in the token, and opens after a restart', async () => {
    const before = tokenObjects(appliance.token)
    const other = await makeVault(appliance)
    const fileId = await upload(other.admin, { groupid: other.id }, content)
    expect(tokenObjects(appliance.token)).toBe(before)
    await appliance.restart()
    expect((await other.admin.must('GET', `/object/${fileId}?filedata=true`))['FILEDATA']).toBe(
      content.toString('base64'),
    )
  })

  it('is opened by no other vault’s key, wherever that is put', async () => {
    const other = await makeVault(appliance)
    const columns = ['key_kek', 'key_blob', 'key_seal']
    const kept = await appliance.store.query<Record<string, string>>(
      `SELECT ${columns.join()} FROM vaults WHERE id = $1`,
      [vault.id],
    )
    await appliance.sql(
      `UPDATE vaults SET (${columns.join()}) = (SELECT ${columns.join()} FROM vaults WHERE id = ${other.id}) WHERE id = ${vault.id}`,
    )
    expectFault(await vault.admin.get(`/object/${id}?decrypt=true`), 503, 1903)
    expectFault(await vault.admin.call('PUT', `/object/${id}`, { body: { password: 'not kept' } }), 503, 1903)
    await appliance.sql(
      `UPDATE vaults SET ${columns.map((name) => `${name} = '${kept[0]?.[name]}'`).join()} WHERE id = ${vault.id}`,
    )
    expect((await readObject(vault.admin, id, '?decrypt=true')).crypted).toMatchObject({
      password: 'S3cret-pass.phrase',
    })
  })

  it('takes the key with it when it is deleted, out of the free space of the database too', async () => {
    const gone = await makeVault(appliance, 'Gone')
    const key = await keyOf(gone.id)
    emptyLog(appliance)
    expect(inDatabase(key)).toBe(true)
    await gone.admin.must('DELETE', `/vault/${gone.id}`)
    emptyLog(appliance)
    expect(inDatabase(key)).toBe(false)
  })

  it('is opened by a backup of the database from before, as the manual says', async () => {
    const gone = await makeVault(appliance, 'In the backup')
    const secret = await createObject(gone.admin, gone.id, { password: 'still to be read' })
    const backup = `${file()}.backup`
    execFileSync('sqlite3', [file(), `.backup '${backup}'`])
    await gone.admin.must('DELETE', `/object/${secret}`)
    await gone.admin.must('DELETE', `/vault/${gone.id}`)
    await appliance.stop()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file()}${suffix}`, { force: true })
    copyFileSync(backup, file())
    await appliance.restart()
    await appliance.hsm.acceptRestored()
    expect((await readObject(gone.admin, secret, '?decrypt=true')).crypted).toMatchObject({
      password: 'still to be read',
    })
  })
})

it('the seed of a device that was removed is not in the free space of the database', async () => {
  const own = await TestAppliance.own()
  try {
    const user = await own.addUser()
    const [device] = await own.store.query<{ id: number; blob: string }>(
      "SELECT id, blob FROM otp_devices WHERE kind = 'totp' AND user_id = $1",
      [user.id],
    )
    const path = String(own.config.store.sqlite)
    emptyLog(own)
    expect(readFileSync(path).includes(device?.blob ?? '?')).toBe(true)
    const admin = await own.login(await own.addUser(['read', 'admin', 'active']))
    await admin.must('DELETE', `/user/${user.id}/otp/${device?.id}`)
    emptyLog(own)
    expect(readFileSync(path).includes(device?.blob ?? '?')).toBe(false)
  } finally {
    await own.close()
  }
})
