import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { base64Bytes } from '../../../src/encoding/base64.ts'

it('encodes as another program does, at every length around a step', () => {
  const step = 24 * 1024
  for (const length of [0, 1, 2, 3, 4, step - 1, step, step + 1, 2 * step - 2, 2 * step, 8 * step, 8 * step + 5]) {
    const bytes = randomBytes(length)
    const encoded = execFileSync('base64', ['-w', '0'], { input: bytes })
    expect(base64Bytes(bytes).equals(encoded), `${length} bytes`).toBe(true)
  }
})
