import type { Hsm } from '../../hsm/hsm.ts'

/** Tries per draw of bytes; each finds a number with a chance of one half at least. */
const triesPerDraw = 8

/**
 * A number from 0 to `size` - 1, each as likely as any other: as many random bits of the token as `size` has, and those that give a
 * larger number are thrown away. `size` has 65,536 bits at most.
 */
export async function randomBelow(hsm: Pick<Hsm, 'random'>, size: bigint): Promise<bigint> {
  const bits = (size - 1n).toString(2).length
  const bytes = Math.ceil(bits / 8)
  for (;;) {
    const pool = await hsm.random(bytes * triesPerDraw)
    for (let start = 0; start < pool.length; start += bytes) {
      const drawn = BigInt(`0x${pool.toString('hex', start, start + bytes)}`)
      const number = BigInt.asUintN(bits, drawn)
      if (number < size) return number
    }
  }
}
