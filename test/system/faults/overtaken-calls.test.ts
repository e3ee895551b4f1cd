import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAppliance, TestUser } from '../../support/appliance.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { under, verdict, vaultIdOf } from '../../support/fault-kit.ts'
import { createObject, readObject, upload } from '../../support/object-kit.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { repeats } from '../../support/release.ts'
import { startTwoMachines, type TwoMachines } from '../../support/two-machines.ts'
import { makeVault } from '../../support/vault.ts'

/** Calls of each kind in a race, of which many are overtaken. */
const rounds = repeats(6, 20)

type Call = (round: number) => Promise<Answer>

/** Makes these calls at the same time, each kind one after another. Resolves to the verdicts, `done` for a success. */
const raced = (...kinds: readonly Call[]): Promise<Set<string>> => racedFor(rounds, kinds)

async function racedFor(times: number, kinds: readonly Call[]): Promise<Set<string>> {
  const verdicts = new Set<string>()
  await Promise.all(
    kinds.map(async (call) => {
      for (let round = 0; round < times; round++) verdicts.add(verdict(await call(round)))
    }),
  )
  return verdicts
}

const allDone = new Set(['done'])

/** Whoever may make a change is never refused because of other changes. */
describe.skipIf(!hasPostgres)('calls that changes on another machine overtake', () => {
  let machines: TwoMachines
  let appliance: TestAppliance

  beforeAll(async () => {
    machines = await startTwoMachines()
    appliance = machines.appliance
  })
  afterAll(() => machines.close())

  const elsewhere = (client?: TestClient): TestClient => machines.elsewhere(client)
  async function sharedVault() {
    const here = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
    const { id } = await makeVault(appliance, 'Race', here)
    return { here, there: elsewhere(here), id }
  }

  it('switch a version of a key', async () => {
    const { here, there, id } = await sharedVault()
    const key = `/transparent/${id}/keys/raced`
    await here.must('POST', key, {})
    const switched =
      (client: TestClient): Call =>
      (round) =>
        client.call('PUT', `${key}/versions/1`, { body: { enabled: round % 2 === 0 } })
    expect(await raced(switched(here), switched(there), () => here.post(`${key}/rotate`))).toEqual(allDone)
  })

  it('take a key out while it is rotated', async () => {
    const { here, there, id } = await sharedVault()
    const flags = { allow_export: true, allow_plaintext_export: true, allow_backup: true }
    await here.must('POST', `/transparent/${id}/keys/raced`, flags)
    const verdicts = await raced(
      () => here.post(`/transparent/${id}/keys/raced/rotate`),
      () => there.get(`/transparent/export/${id}/raced`),
      () => there.get(`/transparent/backup/${id}/raced`),
      () => there.get(`/transparent/${id}/keys/raced`),
    )
    expect(verdicts).toEqual(allDone)
  })

  it('rotate a key that is changed all the time', async () => {
    const { here, there, id } = await sharedVault()
    const key = `/transparent/${id}/keys/raced`
    await here.must('POST', key, {})
    const changed = async (loop: number, round: number): Promise<void> => {
      await (loop % 2 === 0 ? here : there).call('PUT', key, { body: { info: `${loop}.${round}` } })
    }
    const verdicts = await under(8, changed, () => racedFor(3, [() => there.post(`${key}/rotate`)]))
    expect(verdicts).toEqual(allDone)
    expect((await here.must('GET', key)).CALLINFO).toMatchObject({ version: '4' })
  })

  it('copy and move an object that is edited', async () => {
    const { here, there, id } = await sharedVault()
    const other = vaultIdOf({ json: await here.must('POST', '/vault', { vaultname: 'Other' }) })
    const [object, moved] = [await createObject(here, id), await createObject(here, id)]
    const verdicts = await raced(
      (round) => here.call('PUT', `/object/${object}`, { body: { password: `password ${round}` } }),
      (round) => here.call('PUT', `/object/${moved}`, { body: { password: `password ${round}` } }),
      () => there.post(`/object/${object}/copy`, { parentid: 0 }),
      (round) => there.post(`/object/${moved}/move`, { groupid: round % 2 === 0 ? other : id, parentid: 0 }),
    )
    // An edit is refused where the object has left the vault in which its editor was authorized.
    verdicts.delete('404 1610')
    expect(verdicts).toEqual(allDone)
    const password = `password ${rounds - 1}`
    expect((await readObject(here, object, '?decrypt=true')).crypted).toMatchObject({ password })
  })

  it('copy and move an object with a file that is edited', async () => {
    const { here, there, id } = await sharedVault()
    const other = vaultIdOf({ json: await here.must('POST', '/vault', { vaultname: 'Other' }) })
    const content = randomBytes(1_500_000)
    const [object, moved] = [await upload(here, { groupid: id }, content), await upload(here, { groupid: id }, content)]
    const times = 4
    const relocated = (): Promise<Set<string>> =>
      racedFor(times, [
        () => there.post(`/object/${object}/copy`, { groupid: other, parentid: 0 }),
        (round) => there.post(`/object/${moved}/move`, { groupid: round % 2 === 0 ? other : id, parentid: 0 }),
      ])
    const edited = async (loop: number, round: number): Promise<void> => {
      const body = { description: `Edit ${round}` }
      await here.call('PUT', `/object/${loop === 0 ? object : moved}`, { body })
    }
    const verdicts = await under(2, edited, relocated)
    expect(verdicts).toEqual(allDone)
    for (const one of [object, moved]) {
      const { FILEDATA } = await here.must('GET', `/object/${one}?filedata=true`)
      expect(Buffer.from(String(FILEDATA), 'base64').equals(content)).toBe(true)
    }
    // Of each copy that was made in vain, nothing is left.
    expect(await appliance.store.query('SELECT 1 FROM file_uploads WHERE ended_at IS NOT NULL', [])).toEqual([])
    const copies =
      'SELECT 1 FROM file_uploads u JOIN vault_objects o ON o.id = u.object_id WHERE o.id <> $1 AND u.vault_id = $2'
    expect(await appliance.store.query(copies, [moved, other])).toHaveLength(times)
  })

  it('change what a lower role may change as well, while the role changes', async () => {
    const { here, there, id } = await sharedVault()
    const user = await appliance.addUser()
    await here.must('POST', `/vault/${id}/member/${user.id}`, { status: 4 })
    const member = elsewhere(await appliance.login(user))
    const key = `/transparent/${id}/keys/raced`
    await here.must('POST', key, {})
    const verdicts = await raced(
      (round) => here.call('PUT', `/vault/${id}/member/${user.id}`, { body: { status: round % 2 === 0 ? 2 : 4 } }),
      (round) => there.call('PUT', `/vault/${id}/member/${user.id}`, { body: { status: round % 2 === 0 ? 4 : 2 } }),
      () => member.post(`${key}/rotate`),
      () => member.post(`${key}/rotate`),
      (round) => member.call('PUT', key, { body: { info: `round ${round}` } }),
    )
    expect(verdicts).toEqual(allDone)
  })

  it('log in while the account is edited', async () => {
    const { here, there } = await sharedVault()
    const users = [await appliance.addUser(), await appliance.addUser()] as const
    const renamed =
      (client: TestClient, { id }: TestUser): Call =>
      (round) =>
        client.call('PUT', `/user/${id}`, { body: { fullname: `Name ${round}`, status: round % 2 === 0 ? 129 : 133 } })
    const verdicts = await raced(
      ...users.flatMap((user) => [
        renamed(here, user),
        renamed(there, user),
        () => elsewhere().post('/auth', appliance.credentials(user)),
      ]),
    )
    expect(verdicts).toEqual(allDone)
  })

  it('change settings of a vault, of which none is undone', async () => {
    const { here, there, id } = await sharedVault()
    const path = `/transparent/${id}/settings`
    for (let round = 0; round < rounds; round++) {
      const [signing, onUse] = [round % 2 === 0 ? 'Admin' : 'Read', round % 4 < 2]
      await Promise.all([
        here.must('PUT', path, { signing_permission: signing }),
        there.must('PUT', path, { create_on_encrypt: onUse }),
      ])
      const kept = await appliance.store.query(
        'SELECT signing_permission AS signing, creates_keys_on_use AS "onUse" FROM vaults WHERE id = $1',
        [id],
      )
      expect(kept).toEqual([{ signing: signing === 'Admin' ? 4 : 1, onUse: Number(onUse) }])
    }
  })
})
