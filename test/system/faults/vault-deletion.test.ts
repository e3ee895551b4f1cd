import { expect, it, onTestFinished } from 'vitest'
import { strongroom } from '../../support/console-kit.ts'
import { twoWorkers, TestAppliance } from '../../support/appliance.ts'
import { withoutKeeper } from '../../support/earlier-people.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { makeVault } from '../../support/vault.ts'
import { eventually, objectsIn, processesOf } from '../../support/fault-kit.ts'
import { madeVaultKey } from '../../support/token-objects.ts'

const findings = async (appliance: TestAppliance): Promise<string[]> =>
  (
    JSON.parse((await strongroom(appliance.configFile, ['--json', 'doctor'])).stdout).findings as Record<
      string,
      string
    >[]
  )
    .filter(({ subject }) => subject === 'vault keys')
    .map(({ detail }) => detail ?? '')

it('a daemon killed between the deletion of a vault and that of its key leaves a key that is reported and tidied up', async () => {
  // With this deadline, suspended hosts are not replaced meanwhile.
  const appliance = await TestAppliance.own({ ...twoWorkers, hsm: { deadlineMs: 60_000 } })
  onTestFinished(() => appliance.close())
  const kept = await makeVault(appliance, 'Kept')
  const before = objectsIn(appliance.token)
  const vault = await makeVault(appliance, 'Deleted')
  const keptCiphertext = await kept.encrypt('k', 'AAAA')

  // Suspended hosts hold the call after its record and commit, before the token is asked.
  for (const pid of processesOf(appliance).hosts) process.kill(pid, 'SIGSTOP')
  const cut = vault.admin.call('DELETE', `/vault/${vault.id}`).catch((error: unknown) => error)
  await eventually(
    async () => (await appliance.store.query('SELECT 1 FROM vaults WHERE id = $1', [Number(vault.id)])).length === 0,
  )
  await appliance.restart('SIGKILL')
  await cut

  expect(objectsIn(appliance.token)).toBe(before + 1)
  expect(await findings(appliance)).toEqual(['1 data key of deleted vaults is still in the token'])
  expect(await appliance.services.destruction.destroyPending()).toHaveLength(1)
  expect(objectsIn(appliance.token)).toBe(before)
  expect(await findings(appliance)).toEqual(['1 vault, none without its key in the token'])
  expect(await appliance.services.destruction.destroyPending()).toEqual([])
  expect(await kept.decrypt('k', keptCiphertext)).toBe('AAAA')
})

it('init marks a key that a release before was to destroy, and the daemon destroys it', async () => {
  const appliance = await TestAppliance.own(twoWorkers, { prepare: asOfRelease020 })
  onTestFinished(() => appliance.close())
  const owner = await appliance.addUser()
  const vault = await makeVault(appliance, 'Kept', await appliance.login(owner))
  const ciphertext = await vault.encrypt('k', 'AAAA')
  const { id } = await madeVaultKey(appliance)
  const insert = 'INSERT INTO pending_destructions (object_id, pending_since)'
  await appliance.store.transaction(async (tx) => {
    await tx.query(`${insert} VALUES ('${id}', 5)`)
    await tx.query(`${insert} SELECT key_id, 5 FROM vaults`)
  })
  const before = objectsIn(appliance.token)
  expect(await appliance.services.destruction.destroyPending()).toEqual([])
  expect(objectsIn(appliance.token)).toBe(before)
  await appliance.stop()
  withoutKeeper(appliance)
  expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({ status: 0 })
  const marked = objectsIn(appliance.token)
  await appliance.restart()
  await appliance.services.destruction.destroyPending()
  expect(objectsIn(appliance.token)).toBe(marked - 1)
  const [left] = await appliance.store.query<{ n: number }>('SELECT count(*) AS n FROM pending_destructions', [])
  expect(Number(left?.n)).toBe(0)
  expect(await vault.decrypt('k', ciphertext)).toBe('AAAA')
})
