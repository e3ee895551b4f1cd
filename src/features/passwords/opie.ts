import type { Choices } from './choices.ts'
import { opieWords } from './opie-words.ts'

const bitsPerBlock = 64n
const bitsPerWord = 11n
const wordsPerBlock = 6

/** 128 bits as twelve words of one to four letters, six for each half (RFC 2289 §6, Appendix D). */
export function opieChoices(delimiter: string): Choices {
  return {
    size: 1n << 128n,
    nth: (n) =>
      [n >> bitsPerBlock, BigInt.asUintN(Number(bitsPerBlock), n)].flatMap((block) => wordsOf(block)).join(delimiter),
  }
}

/** The words of 64 bits and of the two that check them. */
function wordsOf(block: bigint): string[] {
  const checked = (block << 2n) | checkOf(block)
  return Array.from({ length: wordsPerBlock }, (_, at) => {
    const below = bitsPerWord * BigInt(wordsPerBlock - 1 - at)
    return opieWords[Number(BigInt.asUintN(Number(bitsPerWord), checked >> below))] ?? ''
  })
}

/** The sum of all pairs of bits, its last two bits. */
function checkOf(block: bigint): bigint {
  let sum = 0n
  for (let rest = block; rest > 0n; rest >>= 2n) sum += rest & 3n
  return sum & 3n
}
