import { expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { onBothDatabases } from '../support/both-databases.ts'
import { applianceForTests } from '../support/for-tests.ts'

/** The main job, over the wire, which must work on both kinds of store and in every later release. */
function doesTheMainJob(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)

  it('logs in, makes a vault, encrypts, rotates, and decrypts what both versions made', async () => {
    const client = await appliance.login()
    const { VAULT, CALLINFO } = await client.must('POST', '/vault', {
      vaultname: 'Routers',
      policy: '7',
      description: 'core routers',
    })
    expect(CALLINFO['message']).toBe('Vault created')
    const [{ id }] = VAULT as [{ id: string }]
    const encrypt = async (plaintext: string) =>
      (await client.must('POST', `/transparent/${id}/encrypt/backup`, { plaintext })).CALLINFO['ciphertext'] as string
    const decrypt = async (ciphertext: string) =>
      (await client.must('POST', `/transparent/${id}/decrypt/backup`, { ciphertext })).CALLINFO

    const first = await encrypt('Zmlyc3Q=')
    expect(first).toMatch(/^service:v1:[A-Za-z0-9+/]+={0,2}$/)
    expect((await client.must('POST', `/transparent/${id}/keys/backup/rotate`)).CALLINFO).toMatchObject({
      name: 'backup',
      key_version: '2',
    })
    const second = await encrypt('c2Vjb25k')
    expect(second).toMatch(/^service:v2:/)
    expect(await decrypt(first)).toMatchObject({ plaintext: 'Zmlyc3Q=', key_version: '1' })
    expect(await decrypt(second)).toMatchObject({ plaintext: 'c2Vjb25k', key_version: '2' })
  })

  it('takes one of 50 parallel uses of an OTP, and one number per parallel rotation', async () => {
    const user = await appliance.addUser()
    const body = appliance.credentials(user)
    const logins = await Promise.all(Array.from({ length: 50 }, () => appliance.client().post('/auth', body)))
    const statuses = logins.map(({ status }) => status)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)

    const client = await appliance.login(user)
    const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Race' }))['VAULT'] as [{ id: string }]
    await client.must('POST', `/transparent/${id}/keys/k`)
    const rotations = await Promise.all(
      Array.from({ length: 20 }, () => client.post(`/transparent/${id}/keys/k/rotate`)),
    )
    const versions = rotations
      .filter(({ status }) => status === 201)
      .map(({ json }) => Number(json.CALLINFO['key_version']))
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, index) => index + 2))
    expect(rotations.filter(({ status }) => status !== 201 && status !== 409)).toEqual([])
  })
}

onBothDatabases('the appliance', doesTheMainJob, {}, () => TestAppliance.shared())
