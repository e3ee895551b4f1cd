import { expect, it } from 'vitest'
import { escapeBeyondAscii } from '../../../src/encoding/escaped-json.ts'

it('writes ASCII alone, which reads as the same', () => {
  const text = 'plain, Grüße, €, \u007f, \u0080, \u2028, \uffff, 😀, half \ud83d, "quoted" \\ end'
  const escaped = escapeBeyondAscii(JSON.stringify(text))
  expect(escaped).toMatch(/^[ -~]*$/)
  expect(JSON.parse(escaped)).toBe(text)
  expect(escapeBeyondAscii('"é\u007f€"')).toBe(String.raw`"\u00e9\u007f\u20ac"`)
})

it('leaves what is ASCII as it is', () => {
  expect(escapeBeyondAscii('{"a":"b"}')).toBe('{"a":"b"}')
})
