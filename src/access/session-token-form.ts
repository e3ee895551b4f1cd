import { hash } from 'node:crypto'
import { base62, randomBase62 } from '../encoding/base62.ts'

const length = 42
/** 42 letters and digits: 250 bits. */
export const sessionTokenForm = /^[A-Za-z0-9]{42}$/

export const randomSessionToken = (): string => randomBase62(length)

/** Encodes 32 bytes as a token: a number with 42 digits in base 62, which uses 250 of the 256 bits. */
export function sessionTokenOf(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  const base = BigInt(base62.length)
  const letters = Array.from({ length }, () => {
    const letter = base62[Number(rest % base)]
    rest /= base
    return letter
  })
  return letters.join('')
}

/** The hash that is stored, sealed and looked up instead of the token. */
export const sessionTokenHash = (token: string): string => hash('sha256', token, 'base64')
export const sessionTokenHashForm = /^[A-Za-z0-9+/]{43}=$/
