import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { elementCount } from '../../../src/encoding/der-size.ts'
import { commonPki } from '../../support/pki.ts'
import { openssl } from '../../api/transparent/key-kit.ts'

const element = (tag: number, content: Buffer | readonly Buffer[]): Buffer => {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.concat(content)
  const length = Buffer.alloc(5)
  length.writeUInt8(0x84)
  length.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([Buffer.from([tag]), length, bytes])
}
const names = Array.from({ length: 5_000 }, () => Buffer.from([0x82, 0x01, 0x61]))

describe('the number of elements', () => {
  it('of a certificate is at least the one that openssl prints', () => {
    const pem = readFileSync(commonPki().certificate, 'utf8')
    const [certificate = ''] = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/.exec(pem) ?? []
    const der = openssl(['x509', '-in', 'c.pem', '-outform', 'DER'], { 'c.pem': certificate })
    const printed = openssl(['asn1parse', '-inform', 'DER', '-in', 'c.der'], { 'c.der': der })
    const lines = printed.toString().trim().split('\n').length
    const count = elementCount(der, 1_000)
    expect(count).toBeGreaterThanOrEqual(lines)
    expect(count).toBeLessThan(300)
  })

  const hidden: readonly (readonly [string, Buffer])[] = [
    ['in a sequence', element(0x30, names)],
    ['in an OCTET STRING', element(0x04, element(0x30, names))],
    ['in an OCTET STRING in another', element(0x04, element(0x04, element(0x30, names)))],
    ['behind a tag of two bytes', element(0x30, [Buffer.from([0x1f, 0x21, 0x00]), ...names])],
    ['behind a tag of two bytes in an OCTET STRING', element(0x04, [Buffer.from([0x1f, 0x21, 0x00]), ...names])],
    ['in an indefinite length', Buffer.concat([Buffer.from([0x30, 0x80]), ...names, Buffer.alloc(2)])],
    ['behind a length of five bytes', element(0x30, [Buffer.from([0x30, 0x85, 0, 0, 0, 0, 3]), ...names])],
    [
      'empty',
      element(
        0x30,
        Array.from({ length: 5_000 }, () => Buffer.from([0x82, 0x00])),
      ),
    ],
    ['nested', Buffer.alloc(10_000, Buffer.from([0x30, 0x80]))],
  ]
  it.each(hidden)('is found %s', (_where, bytes) => {
    expect(elementCount(bytes, 1_000)).toBeGreaterThan(1_000)
  })

  it('of raw bytes is small', () => {
    expect(elementCount(element(0x04, Buffer.alloc(250)), 1_000)).toBeLessThanOrEqual(126)
    expect(elementCount(element(0x03, Buffer.alloc(10_000)), 1_000)).toBe(1)
    expect(elementCount(Buffer.alloc(0), 1_000)).toBe(0)
  })
})
