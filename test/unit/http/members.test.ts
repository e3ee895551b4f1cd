import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonObject } from '../../../src/http/input/members.ts'

const refused: readonly (readonly [what: string, text: string])[] = [
  ['no JSON', '{"a":'],
  ['an array', '[1]'],
  ['a number', '7'],
  ['null', 'null'],
  ['a text', '"a"'],
  ['two objects', '{}{}'],
  ['a member twice', '{"a":1,"a":2}'],
  ['a member twice, once escaped', '{"a":1,"\\u0061":2}'],
  ['a member twice, deep inside', '{"x":[{"a":{"b":1,"c":2,"b":3}}]}'],
  ['a member twice with blanks around', '{ "a" : 1 , "a"\n:\t2 }'],
  ['__proto__', '{"__proto__":{"admin":true}}'],
  ['__proto__, escaped', '{"\\u005f_proto__":{}}'],
  ['__proto__, deep inside', '{"a":[{"__proto__":1}]}'],
  ['deep nesting', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['a number that JSON.parse makes infinite', '{"a":1e400}'],
  ['the same in a list', '{"a":[0,-1e400]}'],
]

const accepted: readonly (readonly [what: string, text: string])[] = [
  ['nothing', '{}'],
  ['the same name in two objects', '{"a":{"x":1},"b":{"x":2}}'],
  ['a text that looks like a member', '{"a":"\\"a\\":1","b":"a"}'],
  ['a text that ends in a backslash', '{"a":"\\\\","b":"\\\\\\\\"}'],
  ['numbers in every form', '{"a":[1e3,2.0,-0,0.5,1.10,-12E-1,1e-400,12345678901234567890],"b":2.0}'],
  ['brackets in texts', '{"a":"}{][","b":"{\\"a\\":1}"}'],
]

describe('the JSON of a body', () => {
  it.each(refused)('refuses %s', (_what, text) => {
    expect(() => parseJsonObject(text)).toThrow(expect.objectContaining({ code: 'request.not_json' }))
  })

  it.each(accepted)('accepts %s', (_what, text) => {
    expect(parseJsonObject(text)).toEqual(JSON.parse(text))
  })

  it.each(['1e3', '2.0', '-0', '1.10', '1E2', '9007199254740990.9', '12345678901234567890'])(
    'refuses %s where numbers are stored as text, and names the member',
    (number) => {
      for (const text of [`{"a":1,"b":${number}}`, `{"a":1,"b":[7,${number}]}`, `{"b" : ${number}\n}`])
        expect(() => parseJsonObject(text, { storesNumbers: true })).toThrow(
          expect.objectContaining({ code: 'request.not_json', message: expect.stringContaining('member b ') }),
        )
    },
  )

  it.each([
    ['--boundary\r\n', 'The body is not JSON.'],
    ['{"a":1.0', 'The body is not JSON.'],
    ['1.0', 'The body must be one JSON object.'],
    ['[1.0]', 'The body must be one JSON object.'],
  ])('says of %j what it is, and nothing about numbers', (text, message) => {
    expect(() => parseJsonObject(text, { storesNumbers: true })).toThrow(message)
  })

  it('reads every object that JSON can write as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (object) => {
        const text = JSON.stringify(object)
        fc.pre(!text.includes('__proto__'))
        expect(parseJsonObject(text)).toEqual(JSON.parse(text))
        expect(parseJsonObject(text, { storesNumbers: true })).toEqual(JSON.parse(text))
      }),
    )
  })
})
