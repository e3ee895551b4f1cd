import { describe, expect, it } from 'vitest'
import { fitsPattern, isStarPattern } from '../../../src/access/star-pattern.ts'

describe('a pattern with stars', () => {
  it.each([
    ['mail', 'mail', true],
    ['mail', 'mail2', false],
    ['mail-*', 'mail-', true],
    ['mail-*', 'xmail-', false],
    ['*.example', 'a.b.example', true],
    ['*.example', '.exampl', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*ab*ab*', 'xabyab', true],
    ['*ab*ab*', 'xaby', false],
    ['a*bc*c', 'abc', false],
    ['a*bc*c', 'abcc', true],
    ['*', '', true],
    ['**', 'x', true],
    ['.+', 'xx', false],
  ])('%s and %s: %s', (pattern, text, fits) => {
    expect(fitsPattern(pattern, text)).toBe(fits)
  })

  it('fits as a regular expression of the same meaning does', () => {
    const letters = 'ab*'
    const words = (length: number, from: string): string[] =>
      length === 0 ? [''] : words(length - 1, from).flatMap((word) => from.split('').map((letter) => word + letter))
    for (const pattern of words(4, letters))
      for (const text of words(5, 'ab'))
        expect(fitsPattern(pattern, text), `${pattern} ${text}`).toBe(
          new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text),
        )
  })

  it('has 1 to 128 characters and 8 stars at most', () => {
    const long = 'x'.repeat(128)
    expect(['', `${long}x`, '*'.repeat(9)].some(isStarPattern)).toBe(false)
    expect([long, '*'.repeat(8)].every(isStarPattern)).toBe(true)
  })
})
