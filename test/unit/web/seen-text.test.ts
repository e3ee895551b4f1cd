import { expect, it } from 'vitest'
import { seenText } from '../../../src/web/words/seen-text.ts'

it('gives the number of what nobody sees, and of what turns the text around it', () => {
  expect(seenText('invoice_\u202Efdp.exe')).toBe('invoice_[U+202E]fdp.exe')
  expect(seenText('\u2066a\u2069\u200E\u061C\uFEFF')).toBe('[U+2066]a[U+2069][U+200E][U+061C][U+FEFF]')
  expect(seenText('pay\u200Dpal s\u200Bafe\u2028\u{E0061}\u3164')).toBe(
    'pay[U+200D]pal s[U+200B]afe[U+2028][U+E0061][U+3164]',
  )
  expect(seenText('Malmo\u0308\u200D 株\uFE0F\uFE0F')).toBe('Malmo\u0308[U+200D] 株\uFE0F[U+FE0F]')
})

it.each([
  '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 葛\u{E0100} ۳۰\u200Cساله',
  'Ångström, שלום, 株式会社',
  'Two\r\nlines\tof text',
  '👩🏽‍💻 ❤️‍🔥 1️⃣ 🇸🇪',
  'می‌خواهم क्‍ष',
])('leaves as it is: %s', (text) => {
  expect(seenText(text)).toBe(text)
})
