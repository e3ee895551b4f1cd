import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, bytesOf, flipped } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const post = (verb: string, name: string, body: object) =>
  vault.admin.post(`/transparent/${vault.id}/${verb}/${name}`, body)

async function hmac(input: string, more: object = {}): Promise<string> {
  const { json } = await post('hmac', 'mac', { input, ...more })
  return String(json.CALLINFO['hmac'])
}
const isGood = async (body: object) => (await post('verify', 'mac', body)).json.CALLINFO['valid']

beforeAll(async () => {
  await vault.admin.must('POST', vault.keyPath('mac'), { type: 'hmac-sha256' })
})

describe('POST /transparent/:vaultid/hmac/:name', () => {
  it('answers in full, and the same each time', async () => {
    const { status, json } = await post('hmac', 'mac', { input: 'AAAA' })
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      hmac: expect.stringMatching(/^service:v1:[A-Za-z0-9+/]{43}=$/),
      key_version: '1',
      name: 'mac',
      objectid: expect.stringMatching(/^\d+$/),
    })
    expect(await hmac('AAAA')).toBe(json.CALLINFO['hmac'])
    expect(await hmac('AAAB')).not.toBe(json.CALLINFO['hmac'])
  })

  it('is verified, and a wrong one is not: every bit counts', async () => {
    const made = await hmac('AAAA')
    expect(await isGood({ input: 'AAAA', hmac: made })).toBe(true)
    expect(await isGood({ input: 'AAAB', hmac: made })).toBe(false)
    for (let bit = 0; bit < 256; bit++) expect(await isGood({ input: 'AAAA', hmac: flipped(made, bit) })).toBe(false)
  })

  it('of another length is not good', async () => {
    const bytes = bytesOf(await hmac('AAAA'))
    for (const other of [
      bytes.subarray(0, 16),
      bytes.subarray(0, 31),
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.concat([bytes, bytes]),
      Buffer.of(0),
    ])
      expect(await isGood({ input: 'AAAA', hmac: `service:v1:${base64(other)}` })).toBe(false)
    expect(await isGood({ input: 'AAAA', hmac: 'service:v1:' })).toBe(false)
  })

  it('belongs to its version', async () => {
    const first = await hmac('AAAA')
    await vault.admin.must('POST', `${vault.keyPath('mac')}/rotate`)
    const second = await hmac('AAAA')
    expect([second.slice(0, 11), await hmac('AAAA', { key_version: 1 })]).toEqual(['service:v2:', first])
    expect(await isGood({ input: 'AAAA', hmac: first })).toBe(true)
    expect(await isGood({ input: 'AAAA', hmac: first.replace('v1', 'v2') })).toBe(false)
    expectFault(await post('verify', 'mac', { input: 'AAAA', hmac: first.replace('v1', 'v3') }), 400, 1503)
    expectFault(await post('hmac', 'mac', { input: 'AAAA', key_version: 3 }), 400, 1503)
  })

  it('refuses what is malformed', async () => {
    const made = await hmac('AAAA')
    for (const bad of ['', 'x', 'service:AAAA', 'service:v0:AAAA', `${made}=`, made.slice(0, -1)])
      expectFault(await post('verify', 'mac', { input: 'AAAA', hmac: bad }), 400, 1517)
    for (const input of [undefined, null, '*', 'AAA', 5, []]) {
      expectFault(await post('hmac', 'mac', { input }), 400, 1804)
      expectFault(await post('verify', 'mac', { input, hmac: made }), 400, 1804)
    }
    for (const body of [{ input: 'AAAA' }, { input: 'AAAA', hmac: made, signature: made }])
      expectFault(await post('verify', 'mac', body), 400, 1804)
    expectFault(await post('hmac', 'missing', { input: 'AAAA' }), 404, 1500)
  })

  it('of a megabyte works', async () => {
    const input = base64(Buffer.alloc(1_048_576, 7))
    expect(await isGood({ input, hmac: await hmac(input) })).toBe(true)
  })
})
