import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let ciphertext: string

const prefix = 'service:v1:'
const plaintext = Buffer.from('twenty-one characters').toString('base64')

beforeAll(async () => {
  ciphertext = await vault.encrypt('k', plaintext)
  await vault.encrypt('other', plaintext)
})
afterAll(() => expectUnharmed(appliance))

const decrypt = (text: unknown, key = 'k', client: TestClient = vault.admin) =>
  client.post(`/transparent/${vault.id}/decrypt/${key}`, { ciphertext: text })
const sealed = () => Buffer.from(ciphertext.slice(prefix.length), 'base64')
const refused = async (text: string) => {
  const { status, json } = await decrypt(text)
  expect(json.CALLINFO).not.toHaveProperty('plaintext')
  return `${status} ${Object.keys(json.ERRORCODES ?? {})[0]}`
}

describe('POST /transparent/:vaultid/decrypt/:name', () => {
  it('answers in full, to every permission', async () => {
    for (const client of [vault.admin, await vault.member('Read'), await vault.member('Write')]) {
      const { status, json } = await decrypt(ciphertext, 'k', client)
      expect(status).toBe(200)
      expect(json.CALLINFO).toEqual({
        errorcodes: 0,
        errors: 0,
        general: [],
        handler: 'EncryptionHandler',
        status: 'SUCCESS',
        token: client.token,
        plaintext,
        key_version: '1',
        name: 'k',
        objectid: expect.stringMatching(/^\d+$/),
      })
      expect(json.DATA).toEqual({ ciphertext, token: client.token })
    }
  })

  it('takes the prefix storedsafe as well', async () => {
    expect((await decrypt(ciphertext.replace('service', 'storedsafe'))).json.CALLINFO['plaintext']).toBe(plaintext)
  })

  it('refuses every single byte changed: 400 1507', async () => {
    const answers = await Promise.all(
      [...sealed().keys()].map((at) => {
        const changed = sealed()
        changed[at] = (changed[at] ?? 0) ^ 0x01
        return refused(prefix + changed.toString('base64'))
      }),
    )
    expect(new Set(answers)).toEqual(new Set(['400 1507']))
    expect(answers).toHaveLength(12 + 21 + 16)
  })

  it('refuses any bit flipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed().length - 1), fc.nat(7), async (at, bit) => {
        const changed = sealed()
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        expect(await refused(prefix + changed.toString('base64'))).toBe('400 1507')
      }),
      { numRuns: 150 },
    )
  })

  it('refuses every character replaced', async () => {
    const answers = await Promise.all(
      Array.from(ciphertext, (character, at) =>
        refused(ciphertext.slice(0, at) + (character === 'A' ? 'B' : 'A') + ciphertext.slice(at + 1)),
      ),
    )
    const expected = Array.from(ciphertext, (_, at) =>
      at < prefix.length || ciphertext[at] === '=' ? '400 1506' : '400 1507',
    )
    // The last characters before the padding contain unused bits. A text in which those are changed is not base64.
    const last = ciphertext.indexOf('=') === -1 ? ciphertext.length : ciphertext.indexOf('=')
    for (const [at, answer] of answers.entries()) {
      if (at >= last - 1) expect(['400 1506', '400 1507']).toContain(answer)
      else expect([at, answer]).toEqual([at, expected[at]])
    }
  })

  it('refuses it cut at every length, of text and of bytes', async () => {
    const cuts = Array.from({ length: ciphertext.length }, (_, length) => ciphertext.slice(0, length))
    const bytes = Array.from(
      { length: sealed().length },
      (_, length) => prefix + sealed().subarray(0, length).toString('base64'),
    )
    const answers = await Promise.all([...cuts, ...bytes].map(refused))
    expect(answers.filter((answer) => answer !== '400 1506' && answer !== '400 1507')).toEqual([])
    const short = await Promise.all(bytes.slice(0, 28).map(refused))
    expect(new Set(short)).toEqual(new Set(['400 1506']))
  })

  it('refuses what is longer, doubled, or joined', async () => {
    const longer = [
      Buffer.concat([sealed(), Buffer.alloc(1)]),
      Buffer.concat([sealed(), sealed()]),
      Buffer.concat([Buffer.alloc(12), sealed()]),
    ]
    for (const bytes of longer) expect(await refused(prefix + bytes.toString('base64'))).toBe('400 1507')
  })

  const malformed: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['a prefix alone', 'service:v1:'],
    ['no prefix', 'AAAA'],
    ['another prefix', 'vault:v1:AAAA'],
    ['upper case', 'SERVICE:V1:AAAA'],
    ['version 0', 'service:v0:AAAA'],
    ['a negative version', 'service:v-1:AAAA'],
    ['a leading zero', 'service:v01:AAAA'],
    ['a version of 2^53', 'service:v9007199254740992:AAAA'],
    ['a version of 1e3', 'service:v1e3:AAAA'],
    ['no version', 'service:v:AAAA'],
    ['a blank first', ' service:v1:AAAA'],
    ['a line break after', 'service:v1:AAAA\n'],
    ['the url-safe alphabet', 'service:v1:-_-_'],
    ['no padding', 'service:v1:AA'],
  ]
  it.each(malformed)('refuses what is no ciphertext, %s: 400 1506', async (_what, text) => {
    expectFault(await decrypt(text), 400, 1506)
  })

  it.each([undefined, null, 7, true, [], {}, ['service:v1:AAAA']])(
    'refuses %j for a ciphertext: 400 1804',
    async (text) => {
      expectFault(await decrypt(text), 400, 1804)
    },
  )

  it('refuses a version that the key has not: 400 1503', async () => {
    for (const version of ['2', '999999999']) {
      const refused = await decrypt(ciphertext.replace('v1', `v${version}`))
      expectFault(refused, 400, 1503)
      expect(refused.json.ERRORS).toEqual(['The key decrypts with version 1 alone.'])
    }
  })

  it("refuses another key's, another vault's, and a missing key's", async () => {
    expectFault(await decrypt(ciphertext, 'other'), 400, 1507)
    expectFault(await decrypt(ciphertext, 'missing'), 404, 1500)
    const elsewhere = await makeVault(appliance, 'Elsewhere')
    await elsewhere.encrypt('k', plaintext)
    const foreign = await elsewhere.admin.post(`/transparent/${elsewhere.id}/decrypt/k`, { ciphertext })
    expectFault(foreign, 400, 1507)
    expectFault(await decrypt(ciphertext, 'k', elsewhere.admin), 404, 1400)
  })

  it('ends at once for a member who was removed', async () => {
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Read')
    const client = await appliance.login(user)
    expect((await decrypt(ciphertext, 'k', client)).status).toBe(200)
    await vault.share(String(user.id), undefined)
    expectFault(await decrypt(ciphertext, 'k', client), 404, 1400)
  })
})
