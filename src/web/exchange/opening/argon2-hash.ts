import { argon2d, argon2id } from '@noble/hashes/argon2.js'
import { UnreadableFile } from '../entry.ts'

/** The parameters of Argon2 in a file. */
export interface Argon2Cost {
  readonly memoryKiB: number
  readonly iterations: number
  readonly parallelism: number
  readonly version: number
}

/** Called with the share that is done, from 0 to 1. */
export type OnProgress = (progress: number) => void

/** Limits beyond the defaults of all programs. A file that asks for more is refused. */
const most = { memoryKiB: 1024 * 1024, iterations: 1_000 } as const

const kinds = { argon2d, argon2id } as const

/** Computes a hash of 32 bytes. @throws UnreadableFile `cost` for parameters beyond the limits */
export function hashByArgon2(
  kind: keyof typeof kinds,
  password: Uint8Array,
  salt: Uint8Array,
  { memoryKiB, iterations, parallelism, version }: Argon2Cost,
  onProgress: OnProgress,
): Uint8Array<ArrayBuffer> {
  if (memoryKiB > most.memoryKiB || iterations > most.iterations) throw new UnreadableFile('cost')
  const cost = { m: memoryKiB, t: iterations, p: parallelism, version, maxmem: 2 ** 31 }
  return new Uint8Array(kinds[kind](password, salt, { ...cost, dkLen: 32, onProgress }))
}
