import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { hashRawSync } from '@node-rs/argon2'

/** An export of Bitwarden under a pass phrase, of which `key` was made as `stated`. */
export function sealedExport(text: string, key: Buffer, stated: object): string {
  const iv = randomBytes(16)
  const part = (info: string) =>
    createHmac('sha256', key)
      .update(Buffer.from([...Buffer.from(info), 1]))
      .digest()
  const cipher = createCipheriv('aes-256-cbc', part('enc'), iv)
  const data = Buffer.concat([cipher.update(text), cipher.final()])
  const mac = createHmac('sha256', part('mac')).update(iv).update(data).digest()
  const sealed = `2.${[iv, data, mac].map((bytes) => bytes.toString('base64')).join('|')}`
  return JSON.stringify({ encrypted: true, passwordProtected: true, ...stated, data: sealed })
}

const id = 2

/** By Argon2id, as libraries of other programs compute it. */
export function argon2Export(text: string, passphrase: string, iterations: number): string {
  const salt = randomBytes(16).toString('base64')
  const options = { timeCost: iterations, memoryCost: 16 * 1024, parallelism: 4, algorithm: id, outputLen: 32 }
  const key = hashRawSync(passphrase, { ...options, salt: createHash('sha256').update(salt).digest() })
  return sealedExport(text, key, { salt, kdfType: 1, kdfIterations: iterations, kdfMemory: 16, kdfParallelism: 4 })
}
