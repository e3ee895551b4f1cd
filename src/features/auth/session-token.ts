import { hash, randomInt } from 'node:crypto'
import type { Hsm } from '../../hsm/hsm.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 42
const form = /^[A-Za-z0-9]{42}$/

/** A token of 42 letters and digits (250 bits), and the hash that is stored of it. */
export interface SessionToken {
  readonly token: string
  readonly hash: string
}

/** A random token. */
export function newSessionToken(): SessionToken {
  return withHash(Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join(''))
}

/**
 * The token that replaces this one under strict rotation: always the same, so that a client that lost an answer gets it
 * again, from any worker. Only the token's pepper derives it, and only from the token itself, of which the database has
 * but the hash: neither a copy of the database nor an old token leads to a newer one.
 */
export async function successorOf(hsm: Pick<Hsm, 'sessionTokenSuccessor'>, token: string): Promise<SessionToken> {
  const mac = await hsm.sessionTokenSuccessor(token)
  // 256 bits as a number with 42 digits to the base 62; what is left over are 6 bits.
  let rest = BigInt(`0x${mac.toString('hex')}`)
  const base = BigInt(alphabet.length)
  const letters = Array.from({ length }, () => {
    const letter = alphabet[Number(rest % base)]
    rest /= base
    return letter
  })
  return withHash(letters.join(''))
}

/** What is stored and looked up instead of the token; undefined for a text that cannot be one. */
export function hashOf(token: string): string | undefined {
  return form.test(token) ? sha256(token) : undefined
}

const withHash = (token: string): SessionToken => ({ token, hash: sha256(token) })

const sha256 = (text: string): string => hash('sha256', text, 'base64')
