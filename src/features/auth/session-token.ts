import { hash, randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const length = 42
const form = /^[A-Za-z0-9]{42}$/

/** A random token of 42 letters and digits (250 bits), and the hash that is kept of it. */
export function newSessionToken(): { token: string; hash: string } {
  const token = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return { token, hash: sha256(token) }
}

/** What is stored and looked up instead of the token; undefined for what cannot be one. */
export function hashOf(token: string): string | undefined {
  return form.test(token) ? sha256(token) : undefined
}

const sha256 = (text: string): string => hash('sha256', text, 'base64')
