import { createDecipheriv } from 'node:crypto'
import { expect, it } from 'vitest'
import { linkAddress, openText, partsOf, sealedLength, sealText } from '../../../src/web/links/link-cipher.ts'

it.each(['', 'x', 'Ett lösenord\nmed två rader 🔑', 'a'.repeat(70_000)])(
  'a text is opened by the key alone, also by another program',
  async (text) => {
    const sealed = await sealText(text)
    expect(await openText(sealed)).toBe(text)
    const bytes = Buffer.from(sealed.ciphertext, 'base64')
    expect(bytes).toHaveLength(sealedLength(text))
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(sealed.key, 'base64url'), bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    const padded = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    expect(padded.subarray(4, 4 + padded.readUInt32BE()).toString()).toBe(text)
  },
)

it('each text has a key of its own, and short ones look alike', async () => {
  const [one, other] = [await sealText('kim'), await sealText('a pass phrase of several words')]
  expect(one.key).not.toBe(other.key)
  expect(one.ciphertext).toHaveLength(other.ciphertext.length)
  await expect(openText({ ...one, key: other.key })).rejects.toThrow()
  await expect(openText({ ...one, ciphertext: other.ciphertext })).rejects.toThrow()
})

it('a link is read as it was written, and not where a part is missing', async () => {
  const { key } = await sealText('kim')
  const opener = 'A'.repeat(22)
  const [, , read, secret] = new URL(linkAddress('https://vault.example', { opener, key })).hash.split('/')
  expect(partsOf(read, secret)).toEqual({ opener, key })
  for (const [one, other] of [
    [undefined, key],
    [opener, undefined],
    [opener, key.slice(1)],
    [`${opener}.`, key],
    ['../auth', key],
  ])
    expect(partsOf(one, other)).toBeUndefined()
})
