import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, flipped } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const post = (verb: string, name: string, body: object) =>
  vault.admin.post(`/transparent/${vault.id}/${verb}/${name}`, body)
const seal = (type: string, aad: string) => vault.encrypt(`of-${type}`, 'AAAA', { type, aad })
const open = (type: string, ciphertext: string, more: object) => post('decrypt', `of-${type}`, { ciphertext, ...more })

describe.each(['aes128-gcm96', 'aes256-gcm96'])('aad with %s', (type) => {
  it('is needed again to decrypt, every bit of it', async () => {
    const aad = randomBytes(9)
    const ciphertext = await seal(type, base64(aad))
    expect((await open(type, ciphertext, { aad: base64(aad) })).json.CALLINFO['plaintext']).toBe('AAAA')
    for (let bit = 0; bit < aad.length * 8; bit++) {
      const altered = flipped(`service:v1:${base64(aad)}`, bit).slice('service:v1:'.length)
      expectFault(await open(type, ciphertext, { aad: altered }), 400, 1507)
    }
    for (const other of [aad.subarray(1), aad.subarray(0, 8), Buffer.concat([aad, Buffer.of(0)])])
      expectFault(await open(type, ciphertext, { aad: base64(other) }), 400, 1507)
    expectFault(await open(type, ciphertext, {}), 400, 1507)
    expectFault(await open(type, ciphertext, { aad: '' }), 400, 1507)
  })

  it('that is empty is none', async () => {
    const bare = await vault.encrypt(`of-${type}`, 'AAAA', { aad: '' })
    expect((await open(type, bare, {})).json.CALLINFO['plaintext']).toBe('AAAA')
    expect((await open(type, await vault.encrypt(`of-${type}`, 'AAAA'), { aad: '' })).json.CALLINFO['plaintext']).toBe(
      'AAAA',
    )
    expectFault(await open(type, bare, { aad: 'AAAA' }), 400, 1507)
  })

  it('may be long', async () => {
    for (const size of [1, 16, 255, 256, 65_536, 500_000]) {
      const aad = base64(randomBytes(size))
      expect((await open(type, await seal(type, aad), { aad })).json.CALLINFO['plaintext']).toBe('AAAA')
    }
  })

  it('must be base64: 400 1804', async () => {
    const ciphertext = await vault.encrypt(`of-${type}`, 'AAAA')
    for (const aad of ['*', 'AAA', 'AA=', 'AAB=', ' ', null, 1, {}, []]) {
      expectFault(await post('encrypt', `of-${type}`, { plaintext: 'AAAA', aad }), 400, 1804)
      expectFault(await open(type, ciphertext, { aad }), 400, 1804)
    }
  })
})

describe.each(['aes128-ctr', 'aes256-ctr', 'aes128-ofb', 'aes256-ofb'])('aad with %s', (type) => {
  it('is refused, for nothing would check it, and makes no key: 400 1804', async () => {
    expectFault(await post('encrypt', `never-${type}`, { plaintext: 'AAAA', aad: 'AAAA', type }), 400, 1804)
    expectFault(await vault.admin.get(`/transparent/${vault.id}/keys/never-${type}`), 404, 1500)
    const ciphertext = await vault.encrypt(`of-${type}`, 'AAAA', { type })
    expectFault(await post('encrypt', `of-${type}`, { plaintext: 'AAAA', aad: 'AAAA' }), 400, 1804)
    expectFault(await open(type, ciphertext, { aad: 'AAAA' }), 400, 1804)
    expectFault(
      await vault.admin.post(`/transparent/rewrap/${vault.id}/of-${type}`, { ciphertext, aad: 'AAAA' }),
      400,
      1804,
    )
    expectFault(await post('datakey/wrapped', `of-${type}`, { aad: 'AAAA' }), 400, 1804)
    expect((await open(type, ciphertext, { aad: '' })).json.CALLINFO['plaintext']).toBe('AAAA')
  })
})
