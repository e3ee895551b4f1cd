import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allows, areGrants, entriesFor, type GrantEntry, scopeOf, writeGrants } from '../../../src/access/scope.ts'

const read = (...entries: readonly GrantEntry[]) => scopeOf(writeGrants(entries))
const aad = (text: string): string => Buffer.from(text).toString('base64')

describe('a pattern of names', () => {
  it.each([
    ['mail', 'mail', true],
    ['mail', 'mail-a', false],
    ['mail', 'Mail', false],
    ['mail-*', 'mail-', true],
    ['mail-*', 'mail-a', true],
    ['mail-*', 'email-a', false],
    ['*-mail', 'a-mail', true],
    ['*-mail', 'a-mail-b', false],
    ['*', 'anything', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*b*b*', 'b', false],
    ['*b*b*', 'bb', true],
    ['a.c', 'abc', false],
    ['a**c', 'abc', true],
  ])('%s fits %s: %s', (keys, name, expected) => {
    expect(allows(read({ keys, operations: ['encrypt'] }), 'key.encrypt', { name })).toBe(expected)
  })

  it('means what the same pattern means to a regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 9 })
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(letters, names, (keys, name) => {
        fc.pre(keys.split('*').length <= 9)
        const pattern = new RegExp(`^${keys.replaceAll('*', '.*')}$`)
        expect(allows(read({ keys, operations: ['encrypt'] }), 'key.encrypt', { name })).toBe(pattern.test(name))
      }),
    )
  })

  it('takes no longer for one that is made to take long', () => {
    const keys = `${'a*'.repeat(8)}b`
    const operations = ['encrypt'] as const
    const hostile = read(...Array.from({ length: 32 }, () => ({ keys, operations })))
    const steps = (scope: typeof hostile): number => {
      const began = process.hrtime.bigint()
      for (let round = 0; round < 2_000; round++) entriesFor(scope, 'encrypt', { name: `${'a'.repeat(127)}c` })
      return Number(process.hrtime.bigint() - began)
    }
    steps(hostile)
    // Backtracking would be 10^11 times slower.
    expect(steps(hostile)).toBeLessThan(
      100 * steps(read(...Array.from({ length: 32 }, () => ({ keys: 'a*', operations })))),
    )
  })
})

describe('grants', () => {
  it('allow what an entry names, and nothing else', () => {
    const scope = read({ keys: 'mail-*', operations: ['encrypt'] }, { objects: ['list'] })
    expect(allows(scope, 'key.encrypt', { name: 'mail-a' })).toBe(true)
    expect(allows(scope, 'key.encrypt', { name: 'pay' })).toBe(false)
    expect(allows(scope, 'key.decrypt', { name: 'mail-a' })).toBe(false)
    expect(allows(scope, 'object.list')).toBe(true)
    expect(allows(scope, 'object.read')).toBe(false)
    // `read` of keys is not that of objects.
    expect(allows(read({ keys: '*', operations: ['read'] }), 'object.read')).toBe(false)
  })

  it('bind operations to what additional data begin with', () => {
    const scope = read(
      { keys: '*', operations: ['encrypt'], aad: aad('form:') },
      { keys: 'free', operations: ['encrypt'] },
    )
    const may = (name: string, text: string): boolean => allows(scope, 'key.encrypt', { name, aad: Buffer.from(text) })
    expect([may('k', 'form:1'), may('k', 'form:')]).toEqual([true, true])
    expect([may('k', ''), may('k', 'form'), may('k', 'Form:1'), may('k', ' form:1')]).toEqual([
      false,
      false,
      false,
      false,
    ])
    expect(may('free', '')).toBe(true)
    // Where they are not asked yet.
    expect(allows(scope, 'key.encrypt', { name: 'k' })).toBe(true)
  })

  it('have one form, whatever the order in which they are given', () => {
    const given = [{ keys: 'k', operations: ['read', 'encrypt', 'read'], strict: true, daily: 5, aad: aad('a') }]
    const text = writeGrants(given as GrantEntry[])
    expect(text).toBe('[{"keys":"k","operations":["encrypt","read"],"aad":"YQ==","daily":5,"strict":true}]')
    expect(areGrants(text)).toBe(true)
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '[{'],
    ['no list', '{}'],
    ['an empty list', '[]'],
    ['null', '[null]'],
    ['another order', '[{"operations":["encrypt"],"keys":"k"}]'],
    ['blanks', '[{"keys":"k", "operations":["encrypt"]}]'],
    ['an operation twice', '[{"keys":"k","operations":["encrypt","encrypt"]}]'],
    ['an operation that there is not', '[{"keys":"k","operations":["export"]}]'],
    ['operations that are no list', '[{"keys":"k","operations":"encrypt"}]'],
    ['no operation', '[{"keys":"k","operations":[]}]'],
    ['a member that there is not', '[{"keys":"k","operations":["encrypt"],"admin":true}]'],
    ['keys that are a number', '[{"keys":7,"operations":["encrypt"]}]'],
    ['both kinds of entry', '[{"keys":"k","operations":["encrypt"],"objects":["list"]}]'],
    ['a prefix that is no base64', '[{"keys":"k","operations":["encrypt"],"aad":"*"}]'],
    ['half a number', '[{"keys":"k","operations":["encrypt"],"daily":0.5}]'],
    ['strict that is off', '[{"keys":"k","operations":["encrypt"],"strict":false}]'],
  ])('are not %s, which allows nothing', (_what, text) => {
    expect(areGrants(text)).toBe(false)
    expect(scopeOf(text)).toMatchObject({ entries: [], keys: [] })
    expect(allows(scopeOf(text), 'key.encrypt')).toBe(false)
  })

  const operations = ['encrypt'] as const
  it.each<[readonly GrantEntry[], string]>([
    [[], 'must have 1 to 32 entries'],
    [Array.from({ length: 33 }, () => ({ keys: 'k', operations })), 'must have 1 to 32 entries'],
    [[{ keys: '', operations }], 'entry 0: keys must have 1 to 128'],
    [[{ keys: 'k'.repeat(129), operations }], 'keys must have'],
    [[{ keys: '*'.repeat(9), operations }], 'of which 8 at most'],
    [[{ keys: 'k' }, { keys: 'a(b', operations }] as GrantEntry[], 'entry 0: operations must have one or more of'],
    [[{ keys: 'a(b', operations }], 'keys must have'],
    [[{ keys: 'k', operations, aad: '' }], 'aad must be base64 of 1 to 256 bytes'],
    [[{ keys: 'k', operations, aad: Buffer.alloc(257).toString('base64') }], 'aad must be base64'],
    [[{ keys: 'k', operations: ['encrypt', 'sign'], aad: aad('a') }], 'aad does not go with sign, verify, hmac'],
    [[{ keys: 'k', operations, daily: 0 }], 'daily must be 1 to 1000000000'],
    [[{ objects: [] }], 'objects must have one or more of list, read, decrypt'],
    [
      Array.from({ length: 32 }, () => ({ keys: 'k', operations, aad: Buffer.alloc(256).toString('base64') })),
      'must have 8192 bytes at most',
    ],
  ])('are refused with a sentence (case %#)', (entries, sentence) => {
    expect(() => writeGrants(entries)).toThrow(sentence)
  })
})
