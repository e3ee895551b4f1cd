import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestAppliance } from '../../support/appliance.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { ClientCa, pemOf } from '../../support/client-pki.ts'
import { vaultIdOf, verdict } from '../../support/fault-kit.ts'
import { HardwareToken } from '../../support/hardware-token.ts'
import { formWith } from '../../support/object-kit.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { repeats } from '../../support/release.ts'
import { startTwoMachines, type TwoMachines } from '../../support/two-machines.ts'

/** Enough for both orders of arrival, and for those where neither call has seen the other's change. */
const rounds = repeats(5, 12)

/** Of two calls that exclude each other one succeeds, and the other is told why it cannot. */
describe.skipIf(!hasPostgres)('of two rivals on two machines', () => {
  let machines: TwoMachines
  let appliance: TestAppliance
  let here: TestClient
  let there: TestClient

  beforeAll(async () => {
    machines = await startTwoMachines()
    appliance = machines.appliance
    here = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
    there = machines.elsewhere(here)
  })
  afterAll(() => machines.close())

  const newVault = async () => vaultIdOf({ json: await here.must('POST', '/vault', { vaultname: 'Race' }) })
  const verdictsOf = async (...calls: readonly Promise<Answer>[]) => (await Promise.all(calls)).map(verdict)

  it('one restores a key, and for the other its name is taken', async () => {
    const id = await newVault()
    await here.must('POST', `/transparent/${id}/keys/original`, { allow_backup: true })
    const backup = (await here.must('GET', `/transparent/backup/${id}/original`))['KEYS']
    for (let round = 0; round < rounds; round++) {
      const restored = [here, there].map((client) => client.post(`/transparent/restore/${id}/key-${round}`, backup))
      expect((await verdictsOf(...restored)).toSorted()).toEqual(['409 1501', 'done'])
    }
  })

  it('one makes a key, or the other deletes the vault', async () => {
    const told = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const id = await newVault()
      const [made, gone] = [there.post(`/transparent/${id}/keys/first`, {}), here.call('DELETE', `/vault/${id}`)]
      told.add((await verdictsOf(made, gone)).join())
    }
    expect(['done,409 1402', '404 1400,done']).toEqual(expect.arrayContaining([...told]))
  })

  it('one gives a user a card or hardware token, and for the other it is taken', async () => {
    const ca = new ClientCa()
    for (let round = 0; round < rounds; round++) {
      const [one, other] = [await appliance.addUser(), await appliance.addUser()]
      const card = formWith({}, Buffer.from(pemOf(ca.issue('/CN=Card'))), 'card.cer', 'file')
      const given = (client: TestClient, { id }: { id: number }) => client.call('POST', `/usercert/${id}`, card)
      expect((await verdictsOf(given(here, one), given(there, other))).toSorted()).toEqual(['409 1742', 'done'])

      const { publicId: public_id, privateId: private_id, key: secret } = new HardwareToken()
      const device = { raw: JSON.stringify({ kind: 'hwkey_otp', public_id, private_id, secret }) }
      const enrolled = (client: TestClient, { id }: { id: number }) => client.call('POST', `/user/${id}/otp`, device)
      expect((await verdictsOf(enrolled(here, one), enrolled(there, other))).toSorted()).toEqual(['409 1703', 'done'])
    }
  })
})
