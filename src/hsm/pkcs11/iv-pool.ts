import { randomFillSync } from 'node:crypto'

// A call of the generator costs a fifth of an encryption of 64 bytes, and little more for many IVs than for one.
const pool = Buffer.alloc(4096)
let usedBytes = pool.length

/** Fills `iv` with random bytes that were never given out before. */
export function drawIv(iv: Buffer): Buffer {
  if (usedBytes + iv.length > pool.length) {
    randomFillSync(pool)
    usedBytes = 0
  }
  pool.copy(iv, 0, usedBytes, usedBytes + iv.length)
  usedBytes += iv.length
  return iv
}
