import { describe, expect, it, onTestFinished } from 'vitest'
import { type RunOptions, TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { copyOfRows } from '../support/database-owner.ts'
import { withoutKeeper } from '../support/earlier-people.ts'
import { asOfRelease020 } from '../support/earlier-token.ts'
import { objectsIn, verdict } from '../support/fault-kit.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The attacker writes to the database, and waits until the operator runs a command that goes through the rows and has
 * the keeper seal what it finds.
 */

describe('a version that was disabled, put back before the operator rotates the KEK above it', () => {
  const appliance = applianceForTests(() => TestAppliance.own())
  const vault = vaultForTests(appliance)

  it('does not serve again, and the pass goes on with the others', async () => {
    const keys = `/transparent/${vault.id}/keys`
    for (const name of ['disabled', 'other'])
      await vault.admin.must('POST', `${keys}/${name}`, { type: 'aes256-gcm96', allow_export: true })
    const ciphertext = await vault.encrypt('disabled', 'AAAA')
    await vault.admin.must('POST', `${keys}/disabled/rotate`)
    const putBack = copyOfRows(appliance, 'key_versions')
    await vault.admin.must('PUT', `${keys}/disabled/versions/1`, { enabled: false })
    putBack()
    const decrypting = async () =>
      verdict(await vault.admin.post(`/transparent/${vault.id}/decrypt/disabled`, { ciphertext }))
    expect(await decrypting()).toBe('503 1911')

    const rotation = await strongroom(appliance.configFile, ['--json', 'root-keys', 'rotate', 'kek.exportable'])
    expect(rotation.status).toBe(0)
    expect(await decrypting()).toBe('503 1911')
    expect(JSON.parse(rotation.stdout)).toMatchObject({
      moved: 2,
      left: [{ version: 1, reason: expect.stringContaining('an older state') as unknown }],
    })
  })
})

describe('a membership without a seal, inserted before the operator runs init', () => {
  /** Resolves to the answer to the attacker, who is a user without a vault. */
  async function initWith(prepare: (appliance: TestAppliance) => void, options: RunOptions = {}) {
    const appliance = await TestAppliance.own({}, options)
    onTestFinished(() => appliance.close())
    const vault = await makeVault(appliance)
    const mallory = await appliance.addUser()
    await appliance.stop()
    await appliance.sql(
      `INSERT INTO vault_members (vault_id, user_id, permission, added_at, recoveries, generation, seal)
         VALUES (${vault.id}, ${mallory.id}, 4, ${Date.now()}, 0, 1, '')`,
    )
    prepare(appliance)
    const { status, stderr } = await strongroom(appliance.configFile, ['init'])
    await appliance.restart()
    const client = await appliance.login(mallory)
    return { status, stderr, answer: verdict(await client.get(`/vault/${vault.id}`)) }
  }

  const refusal = {
    status: 3,
    stderr: expect.stringContaining('The earlier rows were already taken over') as unknown,
    answer: '503 1903',
  }

  it('is not taken over where the keeper has been in use, as on a machine that joined others', async () => {
    expect(await initWith(() => undefined, { prepare: asOfRelease020 })).toEqual(refusal)
  })

  it('is not taken over by a keeper whose files were lost', async () => {
    expect(await initWith(withoutKeeper)).toEqual(refusal)
  })
})

it('the key of a vault that the database hides, and calls ended without a mark, outlives the next init of the operator', async () => {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const vault = await makeVault(appliance)
  const ciphertext = await vault.encrypt('k', 'AAAA')
  const before = objectsIn(appliance.token)
  const [row] = await appliance.store.query<{ key: string }>(
    `SELECT key_id AS key FROM vaults WHERE id = ${vault.id}`,
    [],
  )
  await appliance.sql(`INSERT INTO pending_destructions (object_id, pending_since) VALUES ('${row?.key}', 5)`)
  await appliance.sql(`UPDATE vaults SET key_id = 'hidden' WHERE id = ${vault.id}`)
  const { status, stderr } = await strongroom(appliance.configFile, ['init'])
  await appliance.sql(`UPDATE vaults SET key_id = '${row?.key}' WHERE id = ${vault.id}`)
  await appliance.services.destruction.destroyPending()
  expect(objectsIn(appliance.token)).toBe(before)
  expect(await vault.decrypt('k', ciphertext)).toBe('AAAA')
  expect({ status, stderr }).toMatchObject({
    status: 3,
    stderr: expect.stringContaining('The earlier rows were already taken over') as unknown,
  })
})
