/** A value that a faulty client or an attacker may send instead of a valid one; undefined omits it. */
export interface HostileValue {
  readonly what: string
  readonly value: unknown
}

/** Wrong values for every kind of body. */
export function hostileTexts(good: unknown): HostileValue[] {
  return [
    { what: 'missing', value: undefined },
    { what: 'empty', value: '' },
    { what: 'blank', value: ' ' },
    { what: 'NUL', value: 'a\0b' },
    { what: 'control character', value: 'a\u0007b' },
    { what: '4-byte character', value: '\u{1f511}' },
    { what: 'blanks around', value: ` ${String(good)} ` },
    { what: 'long', value: 'x'.repeat(5_000) },
  ]
}

/** Wrong values where a value is read as text: text like a number, an id or a part of another language. */
export function hostileLookalikes(good: unknown): HostileValue[] {
  return [
    { what: 'one letter', value: 'x' },
    { what: 'line end', value: 'a\r\nb' },
    { what: 'line end behind', value: `${String(good)}\n` },
    { what: 'negative', value: '-1' },
    { what: 'hexadecimal', value: '0x10' },
    { what: 'exponent', value: '1e3' },
    { what: 'huge', value: '9'.repeat(30) },
    { what: 'SQL', value: "1' OR '1'='1" },
    { what: 'prototype', value: '__proto__' },
  ]
}

/** Further wrong values that only JSON can express. */
export function hostileJson(good: unknown): HostileValue[] {
  return [
    { what: 'null', value: null },
    { what: 'true', value: true },
    { what: 'number', value: 7 },
    { what: 'negative number', value: -1 },
    { what: 'huge number', value: 1e30 },
    { what: 'list', value: [good] },
    { what: 'empty list', value: [] },
    { what: 'object', value: { $ne: '' } },
    { what: 'half a surrogate pair', value: 'a\ud83d' },
    { what: 'a megabyte', value: 'x'.repeat(1_000_000) },
  ]
}

/** Wrong ids in an address, with escapes. */
export function hostileSegments(good: string): string[] {
  const numbers = ['-1', '0', `0${good}`, '0x1', '1e3', '1.5', '9'.repeat(30), '9007199254740993', '%D9%A1']
  const texts = ['abc', '__proto__', '*', 'x'.repeat(3_000), '%F0%9F%94%91', '%07', '%ff', '%', "1'%20OR%20'1'='1"]
  return [...numbers, ...texts, `%20${good}`, `${good}%0A`, `${good}%00`, `${good};x=1`, '..%2F1']
}
