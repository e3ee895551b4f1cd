import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { KeyReference, Outcome } from '../../../src/hsm/hsm.ts'
import { type Hosts, makeShim, startHosts } from './hsm-kit.ts'
import { usableTokens } from './tokens-under-test.ts'
import { makeToken } from '../../support/token.ts'

const resultOf = (outcome: Outcome | undefined): Buffer => {
  if (outcome === undefined || 'fault' in outcome) throw new Error('no result', { cause: outcome })
  return outcome.result
}

const damaged = ({ key: { record, seal } }: KeyReference): KeyReference => ({
  key: { record, seal: Buffer.from(seal.map((byte) => byte ^ 1)) },
})

describe.each(usableTokens())('batches of $name', ({ make }) => {
  let hosts: Hosts
  let keys: readonly KeyReference[]

  beforeAll(async () => {
    hosts = await startHosts({ token: await make() })
    keys = await Promise.all(
      (['aes256-gcm', 'aes128-gcm', 'aes256-ctr', 'aes128-ofb'] as const).map((kind) => hosts.givenKey(kind)),
    )
  }, 120_000)

  afterAll(async () => {
    await hosts.close()
  })

  const keyAt = (at: number): KeyReference =>
    keys[at % keys.length] ?? { key: { record: randomBytes(1), seal: randomBytes(1) } }

  it('keep their order over several keys and kinds', async () => {
    const plaintexts = Array.from({ length: 1_000 }, (_, at) => Buffer.from(`item ${at} `.repeat(at % 40)))
    const sealed = await hosts.hsm.encryptMany(plaintexts.map((plaintext, at) => ({ key: keyAt(at), plaintext })))
    const items = sealed.map((outcome, at) => ({ key: keyAt(at), ciphertext: resultOf(outcome) }))
    expect((await hosts.hsm.decryptMany(items)).map(resultOf)).toEqual(plaintexts)
    for (const at of [0, 1, 2, 3, 998, 999]) {
      expect(await hosts.hsm.decrypt(keyAt(at), resultOf(sealed[at]))).toEqual(plaintexts[at])
    }
    expect(await hosts.hsm.encryptMany([])).toEqual([])
  })

  it('bind each item to its own additional data', async () => {
    const key = keyAt(0)
    const aads = [Buffer.from('one'), Buffer.from('two'), undefined]
    const sealed = await hosts.hsm.encryptMany(aads.map((aad) => ({ key, plaintext: Buffer.from('x'), aad })))
    for (const [at, outcome] of sealed.entries()) {
      const opened = await hosts.hsm.decryptMany(aads.map((aad) => ({ key, ciphertext: resultOf(outcome), aad })))
      expect(opened.map((one) => 'result' in one)).toEqual(aads.map((_, other) => other === at))
    }
  })

  it('let no bad item spoil the others', async () => {
    const key = keyAt(0)
    const mac = await hosts.givenKey('hmac-sha256')
    const good = await hosts.hsm.encrypt(key, Buffer.from('good'))
    const flipped = Buffer.from(good.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))
    const outcomes = await hosts.hsm.decryptMany([
      { key, ciphertext: flipped },
      { key, ciphertext: good },
      { key: damaged(key), ciphertext: good },
      { key, ciphertext: Buffer.alloc(3) },
      { key: mac, ciphertext: good },
      { key: keyAt(1), ciphertext: good },
      { key, ciphertext: good, aad: Buffer.from('x') },
      { key, ciphertext: good },
    ])
    expect(outcomes.map((outcome) => ('fault' in outcome ? outcome.fault.code : outcome.result.toString()))).toEqual([
      'hsm.rejected',
      'good',
      'hsm.seal_broken',
      'hsm.rejected',
      'hsm.rejected',
      'hsm.rejected',
      'hsm.rejected',
      'good',
    ])
  })

  it('rewrap from key to key, each item from and to its own', async () => {
    const [from, to] = [keyAt(0), keyAt(1)]
    const aad = Buffer.from('old')
    const newAad = Buffer.from('new')
    const old = await hosts.hsm.encrypt(from, Buffer.from('kept'), aad)
    const outcomes = await hosts.hsm.rewrapMany([
      { from, to, ciphertext: old, aad, newAad },
      { from: to, to: from, ciphertext: old, aad },
      { from, to: keyAt(2), ciphertext: old, aad },
      { from, to: keyAt(2), ciphertext: old, aad, newAad },
      { from, to: damaged(to), ciphertext: old, aad },
      { from, to: from, ciphertext: old, aad },
    ])
    expect(outcomes.map((outcome) => ('fault' in outcome ? outcome.fault.code : 'done'))).toEqual([
      'done',
      'hsm.rejected',
      'done',
      'hsm.rejected',
      'hsm.seal_broken',
      'done',
    ])
    expect(await hosts.hsm.decrypt(to, resultOf(outcomes[0]), newAad)).toEqual(Buffer.from('kept'))
    expect(await hosts.hsm.decrypt(keyAt(2), resultOf(outcomes[2]))).toEqual(Buffer.from('kept'))
    expect(await hosts.hsm.decrypt(from, resultOf(outcomes[5]))).toEqual(Buffer.from('kept'))
    expect(resultOf(outcomes[5])).not.toEqual(old)

    const single = await hosts.hsm.rewrap({ from, to, ciphertext: old, aad })
    expect(await hosts.hsm.decrypt(to, single)).toEqual(Buffer.from('kept'))
    await expect(hosts.hsm.rewrap({ from, to, ciphertext: old })).rejects.toMatchObject({ code: 'hsm.rejected' })
  })
})

describe('a batch on a token that fails', () => {
  let hosts: Hosts | undefined

  afterEach(async () => {
    await hosts?.close()
    hosts = undefined
  })
  const given = async () => {
    const token = await makeToken()
    const shim = makeShim(token)
    hosts = await startHosts({ token, hsm: { module: shim.module } })
    const key = await hosts.givenKey('aes256-gcm')
    const items = Array.from({ length: 20 }, (_, at) => ({ key, plaintext: Buffer.from(`item ${at}`) }))
    return { hsm: hosts.hsm, shim, key, items }
  }

  it('is refused whole while the failure lasts', async () => {
    const { hsm, shim, items } = await given()
    shim.command('C_Encrypt fail 0x30')
    await expect(hsm.encryptMany(items)).rejects.toMatchObject({ code: 'hsm.unavailable' })
    shim.behave()
    expect((await hsm.encryptMany(items)).every((outcome) => 'result' in outcome)).toBe(true)
  })

  it('looks a key up once, whatever the number of items', async () => {
    const { hsm, shim, key, items } = await given()
    await hsm.encrypt(key, Buffer.from('warm'))
    const before = [shim.calls('C_UnwrapKey').length, shim.calls('C_Sign').length]
    await hsm.encryptMany(items)
    expect([shim.calls('C_UnwrapKey').length, shim.calls('C_Sign').length]).toEqual(before)
  })
})
