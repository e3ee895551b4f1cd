import { hashRaw, hashRawSync } from '@node-rs/argon2'

/** The input of argon2id (RFC 9106). */
export interface HashInput {
  readonly passphrase: string
  readonly salt: Uint8Array
  readonly memoryKiB: number
  readonly passes: number
}

/** The same for a thread: the bytes are moved there, and the thread overwrites them. */
export interface HashRequest extends Omit<HashInput, 'passphrase'> {
  readonly passphrase: Uint8Array
}

export type PassphraseHash = (input: HashInput) => Promise<Buffer>

const hashBytes = 32

/** Hashes in libuv's thread pool, for a process that does nothing else meanwhile. */
export const hashInPool: PassphraseHash = (input) => hashRaw(input.passphrase, optionsOf(input))

/** Hashes in the calling thread. */
export function hashHere(request: HashRequest): Buffer {
  try {
    return hashRawSync(request.passphrase, optionsOf(request))
  } finally {
    request.passphrase.fill(0)
  }
}

// Argon2id is the library's default.
const optionsOf = ({ salt, memoryKiB, passes }: Omit<HashInput, 'passphrase'>) => ({
  salt,
  memoryCost: memoryKiB,
  timeCost: passes,
  parallelism: 1,
  outputLen: hashBytes,
})
