import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { firstPemBlock, pemBlocks, publicKeyPem } from '../../../src/encoding/pem.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const spki = publicKey.export({ type: 'spki', format: 'der' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const encrypted = privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }).toString()

describe('PEM', () => {
  it('is written as Node writes it, and read by it', () => {
    expect(publicKeyPem(spki)).toBe(pem)
    expect(createPublicKey(publicKeyPem(spki)).equals(publicKey)).toBe(true)
  })

  it('is read block by block, whatever stands between', () => {
    const blocks = pemBlocks(`a comment\n${pem}another\r\n${pem.replaceAll('\n', '\r\n')}${encrypted}`)
    expect(blocks.map(({ label }) => label)).toEqual(['PUBLIC KEY', 'PUBLIC KEY', 'RSA PRIVATE KEY'])
    expect(blocks.map(({ bytes }) => bytes.equals(spki))).toEqual([true, true, false])
    expect(blocks[2]?.bytes).toHaveLength(0)
  })

  it('without its END, or with that of another, is no block', () => {
    expect(pemBlocks(pem.slice(0, 200))).toEqual([])
    expect(pemBlocks(pem.replace('END PUBLIC', 'END PRIVATE'))).toEqual([])
    expect(firstPemBlock(Buffer.from(pem.slice(0, 200)))?.label).toBe('PUBLIC KEY')
  })

  it('that is not base64 is refused', () => {
    expect(() => pemBlocks('-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n')).toThrow(RangeError)
  })

  it('of a hostile text costs as much as the text is long', () => {
    const text = '-----BEGIN A-----\n'.repeat(50_000)
    expect(pemBlocks(text)).toEqual([])
    expect(pemBlocks('-----BEGIN '.repeat(80_000))).toEqual([])
    const blank = `-----BEGIN CERTIFICATE-----${' '.repeat(300_000)}%-----END CERTIFICATE-----`
    expect(() => pemBlocks(blank)).toThrow(RangeError)
  })
})
