import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'

/** The text that a camera would read from an SVG image in a data URI. */
export function scanned(dataUri: string): string {
  const [, base64 = ''] = /^data:image\/svg\+xml;base64,(.+)$/.exec(dataUri) ?? []
  expect(base64, 'a data URI of an SVG image').not.toBe('')
  const png = execFileSync('rsvg-convert', ['--zoom', '8'], { input: Buffer.from(base64, 'base64') })
  return execFileSync('zbarimg', ['--quiet', '--raw', '-'], {
    input: png,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim()
}
