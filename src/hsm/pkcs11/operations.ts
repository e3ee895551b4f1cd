import { Fault } from '../../fault.ts'
import type { GeneratedKey, GenerateOptions, KeyKind, KeyReference, SealedRecord, WrappedKey } from '../hsm.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import type { Connection } from './connection.ts'
import { importable, importedTemplate, kindRows, newbornTemplate } from './key-kinds.ts'
import { ecdsa, hmacSha256, keyWrap, mechanismName } from './mechanisms.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { sealBytes } from './key-handles.ts'
import type { Token } from './token.ts'

const randomLimitBytes = 65_536
const blockBytes = 16
const digestBytes = 32
const signatureBytes = 64

/** Random bytes from the token. Throws `hsm.rejected` unless 1 to 65,536 are asked for. */
export function random(token: Token, bytes: number): Buffer {
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > randomLimitBytes) {
    throw new Fault('hsm.rejected', `Ask for 1 to ${randomLimitBytes} random bytes.`)
  }
  return token.run((connection) => connection.session.random(bytes))
}

export function seal(token: Token, record: Buffer): Buffer {
  return token.run(({ session, roots }) => session.sign(hmacSha256, roots.seal, record, Buffer.alloc(sealBytes)))
}

export function verify(token: Token, sealed: SealedRecord): void {
  token.run(({ keys }) => keys.verify(sealed))
}

export function pepper(token: Token, data: Buffer): Buffer {
  return token.run(({ session, roots }) => session.sign(hmacSha256, roots.pepper, data, Buffer.alloc(sealBytes)))
}

/** Makes a key as a session object, wraps it, destroys it: it exists in plain nowhere. */
export function generate(token: Token, kind: KeyKind, options: GenerateOptions): GeneratedKey {
  return token.run((connection) => {
    requireMechanism(connection, kind)
    const row = kindRows[kind]
    const key = connection.keeper.generate(row.generation, newbornTemplate(row))
    return once(connection, key, () => ({
      ...wrapUnder(connection, options.exportable ? 'exportable' : 'strict', key),
      publicKey: undefined,
      backup: options.backup ? wrapUnder(connection, 'backup', key) : undefined,
    }))
  })
}

/** Wraps a secret from outside under the strict KEK. Zeroes `secret` and every copy that it makes. */
export function importSecret(token: Token, kind: KeyKind, secret: Buffer): WrappedKey {
  let value: Buffer | undefined
  try {
    const padded = (value = importable(kind, secret))
    return token.run((connection) => {
      requireMechanism(connection, kind)
      const key = connection.keeper.create(importedTemplate(kindRows[kind], padded))
      return once(connection, key, () => wrapUnder(connection, 'strict', key))
    })
  } finally {
    secret.fill(0)
    value?.fill(0)
  }
}

/** IV ‖ ciphertext ‖ tag, in sizes of the key's cipher. */
export function encrypt(token: Token, key: KeyReference, plaintext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', (handle, row) => encryptWith(session, handle, row, plaintext, aad)),
  )
}

export function decrypt(token: Token, key: KeyReference, sealedText: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', (handle, row) => decryptWith(session, handle, row, sealedText, aad)),
  )
}

export function decryptOtpBlock(token: Token, key: KeyReference, block: Buffer): Buffer {
  if (block.length !== blockBytes) throw new Fault('hsm.rejected', `An OTP block has ${blockBytes} bytes.`)
  return token.run(({ session, keys }) =>
    keys.use(key, 'otp-block', (handle, row) =>
      session.decrypt(row.mechanism, handle, block, Buffer.alloc(blockBytes)),
    ),
  )
}

export function otpHmac(token: Token, key: KeyReference, data: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'otp-hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

/** r ‖ s over a SHA-256 digest. */
export function signAudit(token: Token, digest: Buffer): Buffer {
  if (digest.length !== digestBytes) throw new Fault('hsm.rejected', `A SHA-256 digest has ${digestBytes} bytes.`)
  return token.run(({ session, roots }) =>
    session.sign(ecdsa, roots.audit.privateKey, digest, Buffer.alloc(signatureBytes)),
  )
}

function requireMechanism({ mechanisms }: Connection, kind: KeyKind): void {
  const { mechanism } = kindRows[kind].mechanism
  if (mechanisms.has(mechanism)) return
  throw new Fault('hsm.unsupported', `Keys of kind ${kind} need ${mechanismName(mechanism)}, which this token lacks.`)
}

function wrapUnder(
  { keeper, roots }: Connection,
  name: 'strict' | 'exportable' | 'backup',
  key: KeyHandle,
): WrappedKey {
  const kek = roots.newestKek(name)
  return { kek: kek.name, blob: keeper.wrap(keyWrap, kek.handle, key) }
}

function once<T>({ keeper }: Connection, key: KeyHandle, work: () => T): T {
  try {
    return work()
  } finally {
    keeper.destroy(key)
  }
}
