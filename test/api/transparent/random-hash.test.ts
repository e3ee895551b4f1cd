import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { openssl } from './key-kit.ts'

const appliance = applianceForTests()
let client: TestClient

beforeAll(async () => {
  client = await appliance.login()
})
afterAll(() => expectUnharmed(appliance))

const random = (body: object) => client.post('/transparent/random', body)
const hash = (body: object) => client.post('/transparent/hash', body)

describe('POST /transparent/random', () => {
  it('gives as many bytes as were asked for, as base64 or hex', async () => {
    for (const bytes of [1, 2, 31, 32, 33, 1_000, 65_535, 65_536, '1', '65536']) {
      for (const format of ['base64', 'hex'] as const) {
        const { status, json } = await random({ bytes, format })
        expect(status).toBe(200)
        const text = String(json.CALLINFO['random_bytes'])
        expect(Buffer.from(text, format)).toHaveLength(Number(bytes))
        expect(Buffer.from(text, format).toString(format)).toBe(text)
      }
    }
    expect(Buffer.from(String((await random({})).json.CALLINFO['random_bytes']), 'base64')).toHaveLength(32)
  })

  it('never gives the same twice, and every byte value', async () => {
    const drawn = await Promise.all(Array.from({ length: 100 }, () => random({})))
    expect(new Set(drawn.map(({ json }) => json.CALLINFO['random_bytes'])).size).toBe(100)
    const { json } = await random({ bytes: 65_536 })
    expect(new Set(Buffer.from(String(json.CALLINFO['random_bytes']), 'base64')).size).toBe(256)
  })

  it('refuses other numbers and formats: 400 1804', async () => {
    for (const bytes of [
      0,
      -1,
      65_537,
      1.5,
      2 ** 53,
      '0',
      '65537',
      '1e3',
      '0x10',
      ' 5',
      '',
      'many',
      null,
      true,
      [5],
      {},
    ])
      expectFault(await random({ bytes }), 400, 1804)
    for (const format of ['binary', 'HEX', '', null, 16]) expectFault(await random({ format }), 400, 1804)
  })

  it('needs a session', async () => {
    expectFault(await appliance.client().post('/transparent/random', {}), 403, 1200)
  })
})

describe('POST /transparent/hash', () => {
  it('is the one that openssl makes', async () => {
    for (const [algorithm, name] of [
      ['sha2-256', '-sha256'],
      ['sha2-384', '-sha384'],
      ['sha2-512', '-sha512'],
    ] as const) {
      for (const size of [0, 1, 63, 64, 111, 112, 10_000]) {
        const input = Buffer.alloc(size, size)
        const expected = openssl(['dgst', name, '-binary', 'input'], { input })
        for (const format of ['base64', 'hex'] as const) {
          const { status, json } = await hash({ input: input.toString('base64'), algorithm, format })
          expect([status, json.CALLINFO['sum']]).toEqual([200, expected.toString(format)])
        }
      }
    }
  })

  it('is SHA-256 as base64 unless asked otherwise', async () => {
    // The example "abc" of FIPS 180-4.
    const sum = Buffer.from('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'hex').toString(
      'base64',
    )
    expect((await hash({ input: 'YWJj' })).json.CALLINFO['sum']).toBe(sum)
  })

  it('refuses other algorithms, formats and inputs: 400 1804', async () => {
    for (const bad of [
      { algorithm: 'md5' },
      { algorithm: 'sha2-224' },
      { algorithm: null },
      { format: 'binary' },
      { input: '*' },
      { input: null },
      { input: 'AAA' },
    ])
      expectFault(await hash({ input: 'AAAA', ...bad }), 400, 1804)
    expectFault(await hash({}), 400, 1804)
  })

  it('needs a session', async () => {
    expectFault(await appliance.client().post('/transparent/hash', { input: 'AAAA' }), 403, 1200)
  })
})
