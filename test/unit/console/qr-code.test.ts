import QRCode from 'qrcode'
import { expect, it } from 'vitest'
import { qrCode } from '../../../src/console/output/qr-code.ts'

const rows = { ' ': [0, 0], '▀': [1, 0], '▄': [0, 1], '█': [1, 1] } as const

it('draws every module of the code, with a quiet zone around it', () => {
  const text = 'otpauth://totp/Strongroom:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Strongroom'
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'L' })
  const drawn = qrCode(text).flatMap((line) => {
    const cells = Array.from(line, (character) => rows[character as keyof typeof rows])
    return [cells.map(([upper]) => upper), cells.map(([, lower]) => lower)]
  })
  const size = modules.size + 4
  expect(drawn.map((row) => row.length)).toEqual(drawn.map(() => size))
  expect(size).toBeLessThanOrEqual(60)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const inside = row >= 2 && column >= 2 && row < size - 2 && column < size - 2
      expect(drawn[row]?.[column]).toBe(inside ? modules.get(row - 2, column - 2) : 0)
    }
  }
})
