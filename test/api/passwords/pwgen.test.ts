import { execFileSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { createGenerator, randomBelow } from '../../../src/features/passwords/generator.ts'
import { breaksPolicy, passwordPolicies } from '../../../src/features/passwords/policies.ts'
import { expectFault, type TestClient } from '../../support/client.ts'

const appliance = applianceForTests()
let client: TestClient

beforeAll(async () => {
  client = await appliance.login(await appliance.addUser(['active']))
})

const generate = async (query: string) => (await client.must('GET', `/utils/pwgen${query}`)).CALLINFO
const word = '[a-z]{2,9}'

describe('GET /utils/pwgen', () => {
  it.each([
    ['type=pin', 13],
    ['type=pin&length=100', 332],
    ['type=bytes&length=16', 128],
    ['type=opie', 128],
  ])('tells how strong %s is: of 2 to the power of %i', async (query, bits) => {
    expect((await generate(`?${query}`))['bits']).toBe(bits)
  })

  const types: readonly (readonly [query: string, form: RegExp, type: string])[] = [
    ['', /^[\x21-\x7e]{40}$/, 'secure'],
    ['?type=', /^[\x21-\x7e]{40}$/, 'secure'],
    ['?type=secure', /^[\x21-\x7e]{40}$/, 'secure'],
    ['?type=secure&length=1024', /^[\x21-\x7e]{1024}$/, 'secure'],
    ['?length=1', /^[\x21-\x7e]$/, 'secure'],
    ['?type=pin', /^\d{4}$/, 'pin'],
    ['?type=pin&length=100', /^\d{100}$/, 'pin'],
    ['?type=pin&length=', /^\d{4}$/, 'pin'],
    ['?type=pronounceable', /^[a-z]{12}$/, 'pronounceable'],
    ['?type=pronouncable&length=1024', /^([aeiouy]?)([^aeiouy][aeiouy])+[^aeiouy]?$/, 'pronouncable'],
    ['?type=bytes', /^[0-9a-f]{64}$/, 'bytes'],
    ['?type=bytes&length=1024', /^[0-9a-f]{2048}$/, 'bytes'],
    ['?type=opie', /^([A-Z]{1,4} ){11}[A-Z]{1,4}$/, 'opie'],
    ['?type=opie&delimiter=dash', /^([A-Z]{1,4}-){11}[A-Z]{1,4}$/, 'opie'],
    ['?type=diceword', new RegExp(`^(${word} ){4}${word}$`), 'diceword'],
    [
      '?type=diceword&language=en_US&words=5&min_char=2&max_char=0&delimiter=default',
      new RegExp(`^(${word} ){4}${word}$`),
      'diceword',
    ],
    ['?type=diceword&words=100&delimiter=,', new RegExp(`^(${word},){99}${word}$`), 'diceword'],
    ['?type=diceword&words=1', new RegExp(`^${word}$`), 'diceword'],
    ['?type=diceword&min_char=4&max_char=4&delimiter=_', /^([a-z]{4}_){4}[a-z]{4}$/, 'diceword'],
    ['?type=diceword&language=sv_SE&delimiter=dash', /^([a-z]{3,8}-){4}[a-z]{3,8}$/, 'diceword'],
    ['?type=diceword&delimiter=space', new RegExp(`^(${word} ){4}${word}$`), 'diceword'],
    ...['.', '-', '=', ':'].map(
      (delimiter) =>
        [
          `?type=diceword&delimiter=${delimiter}`,
          new RegExp(`^(${word}\\${delimiter}){4}${word}$`),
          'diceword',
        ] as const,
    ),
    ['?type=diceword&delimiter=+', new RegExp(`^(${word} ){4}${word}$`), 'diceword'],
  ]
  it.each(types)('%s', async (query, form, type) => {
    const { handler, passphrase, length, type: named } = await generate(query)
    expect([handler, passphrase, length, named]).toEqual([
      'UtilsHandler',
      expect.stringMatching(form),
      String(passphrase).length,
      type,
    ])
  })

  it.each(['', '?type=bytes', '?type=pronounceable&length=40', '?type=opie', '?type=diceword', '?policyid=7'])(
    'makes another one every time: %s',
    async (query) => {
      const made = await Promise.all(Array.from({ length: 20 }, () => generate(query)))
      expect(new Set(made.map(({ passphrase }) => passphrase)).size).toBe(20)
    },
  )

  it.each(passwordPolicies)('satisfies the policy $id ($name), whatever form is sent beside it', async (policy) => {
    for (const query of ['', '&type=pin&length=4', '&type=secure&length=128', '&length=1', '&type=diceword&words=5']) {
      const { passphrase } = await generate(`?policyid=${policy.id}${query}`)
      expect(breaksPolicy(policy, String(passphrase)), String(passphrase)).toBe(false)
    }
    expect((await generate(`?policyid=${policy.id}`))['length']).toBe(20)
  })

  it('says when what it made is weak', async () => {
    expect((await generate('?type=pin')).general).toEqual([expect.stringContaining('2^14')])
    expect((await generate('?type=pronounceable')).general).toHaveLength(1)
    for (const query of ['', '?type=diceword', '?type=opie', '?type=pin&length=20', '?policyid=7'])
      expect((await generate(query)).general, query).toEqual([])
  })

  const refused: readonly (readonly [string, number])[] = [
    ['?type=unknown', 1804],
    ['?type=secure%00', 1804],
    ['?type=constructor', 1804],
    ['?length=0', 1804],
    ['?length=1025', 1804],
    ['?length=-1', 1804],
    ['?length=1.5', 1804],
    ['?length=0x10', 1804],
    ['?length=1e2', 1804],
    ['?length=%20', 1804],
    ['?length=٣', 1804],
    [`?length=${'9'.repeat(200)}`, 1804],
    ['?type=pin&length=101', 1804],
    ['?type=pronounceable&length=1025', 1804],
    ['?type=bytes&length=1025', 1804],
    ['?type=diceword&words=0', 1804],
    ['?type=diceword&words=101', 1804],
    ['?type=diceword&min_char=20', 1804],
    ['?type=diceword&min_char=5&max_char=4', 1804],
    ['?type=diceword&min_char=-1', 1804],
    ['?type=diceword&language=de_DE', 1804],
    ['?type=diceword&language=constructor', 1804],
    ['?type=diceword&delimiter=x', 1804],
    ['?type=diceword&delimiter=--', 1804],
    ['?type=opie&delimiter=%0A', 1804],
    ['?type=opie&delimiter=%F0%9F%94%91', 1804],
    ['?policyid=3', 1401],
    ['?policyid=0', 1401],
    ['?policyid=x', 1804],
    ['?policyid=7&length=129', 1804],
    ['?type=pin&type=pin', 1804],
  ]
  it.each(refused)('%s: 400', async (query, code) => {
    expectFault(await client.get(`/utils/pwgen${query}`), 400, code)
  })

  it('tells which languages there are', async () => {
    const { json } = await client.get('/utils/pwgen?type=diceword&language=de_DE')
    expect(json.ERRORS?.[0]).toContain('en_US, sv_SE')
  })

  it('is for those who are logged in', async () => {
    expectFault(await appliance.client().get('/utils/pwgen'), 403, 1200)
  })

  it('makes opie words that pycryptodome reads back to 128 bits', async () => {
    const { passphrase } = await generate('?type=opie')
    const script =
      'import sys; from Cryptodome.Util.RFC1751 import english_to_key; print(len(english_to_key(sys.argv[1])))'
    expect(execFileSync('/usr/bin/python3', ['-c', script, String(passphrase)], { encoding: 'utf8' }).trim()).toBe('16')
  })
})

describe('the numbers of the token', () => {
  /** Limits of χ² for 9 and 25 degrees of freedom, which a fair source exceeds once in a thousand million tests. */
  const limits = { 10: 62, 26: 95 }

  function chiSquare(counts: readonly number[]): number {
    const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
    return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  }

  const countsOf = (text: string, alphabet: string): number[] =>
    Array.from(alphabet, (letter) => text.split(letter).length - 1)

  it('favour no digit and no letter', async () => {
    const generator = createGenerator(appliance.hsm)
    const many = async (wish: Parameters<typeof generator.generate>[0], times: number): Promise<string> =>
      (await Promise.all(Array.from({ length: times }, () => generator.generate(wish))))
        .map(({ text }) => text)
        .join('')
    expect(chiSquare(countsOf(await many({ kind: 'pin', length: 100 }, 200), '0123456789'))).toBeLessThan(limits[10])
    const secure = await many({ kind: 'secure', length: 1024 }, 40)
    expect(chiSquare(countsOf(secure, 'abcdefghijklmnopqrstuvwxyz'))).toBeLessThan(limits[26])
  })

  it('reach every value below a size that is no power of two, none above, and each as often', async () => {
    const drawn = await Promise.all(Array.from({ length: 2_000 }, () => randomBelow(appliance.hsm, 10n)))
    const counts = Array.from({ length: 10 }, (_, value) => drawn.filter((n) => n === BigInt(value)).length)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_000)
    expect(chiSquare(counts)).toBeLessThan(limits[10])
    expect(await randomBelow(appliance.hsm, 1n)).toBe(0n)
  })
})
