import { createDecipheriv, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'
import { child, countOf, itemsOf, octetsOf, oidOf, Unopened, type Ber } from './ber.ts'

declare module 'node-forge' {
  // The package's type declarations lack these.
  export const pbe: {
    generatePkcs12Key(
      password: string,
      salt: util.ByteBuffer,
      purpose: 1 | 2,
      iterations: number,
      bytes: number,
    ): util.ByteBuffer
    opensslDeriveBytes(password: string, salt: string, bytes: number): string
  }
}

type Kdf = 'pkcs12' | 'pbkdf2'

/** A ciphertext whose decryption cost is known before any of it is spent. */
export interface Encrypted {
  readonly kdf: Kdf
  readonly iterations: number
  /** @throws Error of any kind for a wrong pass phrase, as far as the padding reveals it */
  decrypt(passphrase: string): Promise<Buffer>
}

/**
 * The greatest sum of iterations in one file. The derivation of PKCS#12 (RFC 7292 §B.2) runs in JavaScript on the
 * event loop, where 5,000 take 15 ms of CPU time with 3DES, and 76 ms before the code is compiled; OpenSSL, Windows
 * and macOS write 2,000 or 2,048. PBKDF2 runs on a thread of libuv, where 600,000 take 110 ms with SHA-256 and 250 ms
 * with SHA-512; the newest NSS writes that many.
 */
const maxIterations: Readonly<Record<Kdf, number>> = { pkcs12: 5_000, pbkdf2: 600_000 }
/** In practice salts have 8 to 64 bytes. */
const maxSaltBytes = 1024

/** @throws Unopened before any key is derived */
export function checkPrice(parts: readonly Encrypted[]): void {
  for (const [kdf, most] of Object.entries(maxIterations)) {
    const sum = parts.reduce((total, part) => total + (part.kdf === kdf ? part.iterations : 0), 0)
    if (sum > most)
      throw new Unopened(`it asks for ${sum} rounds of key derivation, and ${most} are carried out at most`)
  }
}

const keyBytes = {
  'des-ede3-cbc': 24,
  'aes-128-cbc': 16,
  'aes-192-cbc': 24,
  'aes-256-cbc': 32,
  'des-cbc': 8,
  'rc2-40-cbc': 5,
  'rc2-64-cbc': 8,
  'rc2-cbc': 16,
} as const

type Cipher = keyof typeof keyBytes

function decryptCbc(cipher: Cipher, key: Buffer, iv: Buffer, ciphertext: Buffer): Buffer {
  if (cipher === 'des-cbc' || cipher.startsWith('rc2')) return decryptOldCbc(cipher, key, iv, ciphertext)
  const decipher = createDecipheriv(cipher, key, iv)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

/** OpenSSL 3 has RC2 and DES only in its legacy provider, which Node does not load. */
function decryptOldCbc(cipher: Cipher, key: Buffer, iv: Buffer, ciphertext: Buffer): Buffer {
  const [keyText, ivText, input] = [key.toString('latin1'), iv.toString('latin1'), ciphertext.toString('latin1')]
  const decipher =
    cipher === 'des-cbc'
      ? forge.cipher.createDecipher('DES-CBC', keyText)
      : forge.rc2.createDecryptionCipher(keyText, key.length * 8)
  if ('mode' in decipher) decipher.start({ iv: ivText })
  else decipher.start(ivText)
  decipher.update(forge.util.createBuffer(input))
  if (!decipher.finish()) throw new RangeError('the padding is wrong')
  return Buffer.from(decipher.output.getBytes(), 'latin1')
}

const pkcs12Ciphers: Readonly<Record<string, Cipher>> = {
  '1.2.840.113549.1.12.1.3': 'des-ede3-cbc',
  '1.2.840.113549.1.12.1.5': 'rc2-cbc',
  '1.2.840.113549.1.12.1.6': 'rc2-40-cbc',
}

const pbes2 = { scheme: '1.2.840.113549.1.5.13', pbkdf2: '1.2.840.113549.1.5.12' } as const

const prfs: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}

const pbes2Ciphers: Readonly<Record<string, Cipher>> = {
  '1.2.840.113549.3.7': 'des-ede3-cbc',
  '2.16.840.1.101.3.4.1.2': 'aes-128-cbc',
  '2.16.840.1.101.3.4.1.22': 'aes-192-cbc',
  '2.16.840.1.101.3.4.1.42': 'aes-256-cbc',
}

/**
 * A ciphertext with its AlgorithmIdentifier: PBES2 with PBKDF2 (RFC 8018 §6.2), or a scheme of PKCS#12 (RFC 7292 §C).
 * @throws Unopened for any other scheme
 */
export function encryptedPart(algorithm: Ber, ciphertext: Buffer): Encrypted {
  const scheme = oidOf(child(algorithm, 0))
  const parameters = child(algorithm, 1)
  if (scheme === pbes2.scheme) return pbes2Part(parameters, ciphertext)
  const cipher = known(pkcs12Ciphers, scheme)
  const salt = saltOf(child(parameters, 0))
  const iterations = countOf(child(parameters, 1))
  const derive = (passphrase: string, purpose: 1 | 2, bytes: number): Buffer => {
    const saltBuffer = forge.util.createBuffer(salt.toString('latin1'))
    return Buffer.from(
      forge.pbe.generatePkcs12Key(passphrase, saltBuffer, purpose, iterations, bytes).getBytes(),
      'latin1',
    )
  }
  return {
    kdf: 'pkcs12',
    iterations,
    decrypt: async (passphrase) =>
      decryptCbc(cipher, derive(passphrase, 1, keyBytes[cipher]), derive(passphrase, 2, 8), ciphertext),
  }
}

function pbes2Part(parameters: Ber, ciphertext: Buffer): Encrypted {
  const [derivation, encryption] = [child(parameters, 0), child(parameters, 1)]
  if (oidOf(child(derivation, 0)) !== pbes2.pbkdf2) throw unsupported()
  const [salt, count, ...rest] = itemsOf(child(derivation, 1))
  if (salt === undefined || count === undefined) throw new RangeError('PBKDF2 lacks a parameter')
  // The key length, which the cipher implies as well, may precede the PRF.
  const prf = rest.find(({ constructed }) => constructed)
  const digest = prf === undefined ? 'sha1' : known(prfs, oidOf(child(prf, 0)))
  const cipher = known(pbes2Ciphers, oidOf(child(encryption, 0)))
  const [saltBytes, iterations, iv] = [saltOf(salt), countOf(count), octetsOf(child(encryption, 1))]
  return {
    kdf: 'pbkdf2',
    iterations,
    async decrypt(passphrase) {
      const key = await promisify(pbkdf2)(passphrase, saltBytes, iterations, keyBytes[cipher], digest)
      return decryptCbc(cipher, key, iv, ciphertext)
    },
  }
}

/**
 * Decrypts OpenSSL's own format of encrypted keys, with the cipher that DEK-Info names (RFC 1421 §4.6.1.3). The key is
 * derived with one round of MD5.
 */
export function decryptLegacy(name: string, iv: Buffer, ciphertext: Buffer, passphrase: string): Buffer {
  const cipher = Object.keys(keyBytes).find((one): one is Cipher => one === name.toLowerCase())
  if (cipher === undefined) throw unsupported()
  const salt = iv.toString('latin1', 0, 8)
  const key = forge.pbe.opensslDeriveBytes(forge.util.encodeUtf8(passphrase), salt, keyBytes[cipher])
  return decryptCbc(cipher, Buffer.from(key, 'latin1'), iv, ciphertext)
}

function saltOf(salt: Ber): Buffer {
  const bytes = octetsOf(salt)
  if (bytes.length > maxSaltBytes) throw new RangeError('a salt is too long')
  return bytes
}

function known<T>(table: Readonly<Record<string, T>>, oid: string): T {
  const found = table[oid]
  if (found === undefined) throw unsupported()
  return found
}

const unsupported = (): Unopened => new Unopened('it is encrypted in a way that is not supported')
