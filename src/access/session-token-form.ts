import { hash, randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 42
/** 42 letters and digits: 250 bits. */
export const sessionTokenForm = /^[A-Za-z0-9]{42}$/

export const randomSessionToken = (): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** Encodes 32 bytes as a token: a number with 42 digits in base 62, which uses 250 of the 256 bits. */
export function sessionTokenOf(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  const base = BigInt(alphabet.length)
  const letters = Array.from({ length }, () => {
    const letter = alphabet[Number(rest % base)]
    rest /= base
    return letter
  })
  return letters.join('')
}

/** The hash that is stored, sealed and looked up instead of the token. */
export const sessionTokenHash = (token: string): string => hash('sha256', token, 'base64')
export const sessionTokenHashForm = /^[A-Za-z0-9+/]{43}=$/
