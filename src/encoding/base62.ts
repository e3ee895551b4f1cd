import { randomInt } from 'node:crypto'

export const base62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random letters and digits, of 5.95 bits each. */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => base62[randomInt(base62.length)]).join('')
