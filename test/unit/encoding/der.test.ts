import { describe, expect, it } from 'vitest'
import { derTag, headerAt, readElements, readOid, readOnly, readTime } from '../../../src/encoding/der.ts'
import { fromDer, toDer } from '../../../src/features/transparent/signatures.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

describe('DER', () => {
  it('is read element by element', () => {
    const [oid, time] = readElements(
      readOnly(bytes('30 16 06 03 55 04 03 18 0f 32303236303130323033303430355a'), derTag.sequence).content,
    )
    expect(oid && readOid(oid)).toBe('2.5.4.3')
    expect(time && readTime(time)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5))
  })

  it.each([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['a length that is cut off', '30 82 01'],
    ['content that is cut off', '30 05 02 01 00'],
    ['the indefinite length', '30 80 00 00'],
    ['a length of five bytes', '30 85 00 00 00 00 01 00'],
    ['a tag of two bytes', '3f 81 00 00'],
    ['bytes behind it', '30 00 00'],
    ['another tag', '31 00'],
  ])('is refused: %s', (_what, hex) => {
    expect(() => readOnly(bytes(hex), derTag.sequence)).toThrow(RangeError)
  })

  it('has headers that are read where the content is cut off or indefinite', () => {
    expect(headerAt(bytes('30 82 01 00 02'), 0)).toEqual({ tag: 0x30, from: 4, to: 260 })
    expect(headerAt(bytes('30 80 02'), 0)).toEqual({ tag: 0x30, from: 2, to: undefined })
    expect(headerAt(bytes('30'), 0)).toBeUndefined()
  })
})

describe('an ECDSA signature', () => {
  const raw = bytes(`00${'11'.repeat(31)}${'ff'.repeat(32)}`)
  const der = toDer(raw)

  it('is the same in DER and back', () => {
    expect(fromDer(der, 32)).toEqual(raw)
  })

  it.each<readonly [what: string, changed: Buffer]>([
    ['with a byte behind it', Buffer.concat([der, Buffer.alloc(1)])],
    ['that is cut off', der.subarray(0, -1)],
    ['with a length in two bytes where one will do', Buffer.concat([bytes('30 81'), der.subarray(1)])],
    ['with a zero too many', bytes('30 08 02 03 00 00 01 02 01 01')],
    ['with a third number', bytes('30 09 02 01 01 02 01 01 02 01 01')],
    ['with one number', bytes('30 03 02 01 01')],
    ['with a negative number', bytes('30 06 02 01 ff 02 01 01')],
    ['of other types', bytes('30 06 04 01 01 02 01 01')],
    ['with a number without content', bytes('30 05 02 00 02 01 01')],
    ['of a larger curve', toDer(Buffer.alloc(96, 0x7f))],
    ['of nothing', Buffer.alloc(0)],
  ])('%s is none', (_what, changed) => {
    expect(fromDer(changed, 32)).toBeUndefined()
  })
})
