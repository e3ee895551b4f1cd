import { hashRaw, hashRawSync } from '@node-rs/argon2'

/** What argon2id (RFC 9106) makes a hash of. */
export interface HashInput {
  readonly passphrase: string
  readonly salt: Uint8Array
  readonly memoryKiB: number
  readonly passes: number
}

export type PassphraseHash = (input: HashInput) => Promise<Buffer>

const hashBytes = 32

/** In a thread of libuv's pool: for a process that does nothing else meanwhile. */
export const hashInPool: PassphraseHash = (input) => hashRaw(input.passphrase, optionsOf(input))

/** In the thread that calls. */
export const hashHere = (input: HashInput): Buffer => hashRawSync(input.passphrase, optionsOf(input))

// Argon2id is the library's default.
const optionsOf = ({ salt, memoryKiB, passes }: HashInput) => ({
  salt,
  memoryCost: memoryKiB,
  timeCost: passes,
  parallelism: 1,
  outputLen: hashBytes,
})
