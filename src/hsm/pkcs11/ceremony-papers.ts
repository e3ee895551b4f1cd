import { hash } from 'node:crypto'
import { z } from 'zod'
import { Fault } from '../../fault.ts'

const end = z.object({ label: z.string().max(64), serial: z.string().max(64) })

const requestSchema = z.strictObject({
  format: z.literal('strongroom backup keys request 2'),
  receiver: end,
  /** DER SubjectPublicKeyInfo of the receiver's ceremony key. */
  publicKey: z.base64(),
  /** The receiver's newest version of backup keys. */
  newest: z.int().min(0),
})

const packageSchema = z.strictObject({
  format: z.literal('strongroom backup keys 2'),
  sender: end,
  receiver: end,
  /** SHA-256 of the request that it answers (hexadecimal), which covers the receiver's public key. */
  request: z.string(),
  versions: z
    .array(
      z.strictObject({
        version: z.int().min(1),
        keys: z.strictObject({
          'kek.backup': z.base64(),
          'kek.backup-exportable': z.base64(),
          'backup-seal': z.base64(),
        }),
        checks: z.strictObject({
          'kek.backup': z.string(),
          'kek.backup-exportable': z.string(),
          'backup-seal': z.string(),
        }),
      }),
    )
    .min(1)
    .max(100),
})

const sealedPackageSchema = z.strictObject({
  content: z.string(),
  /** HMAC by the newest backup seal in the package, which proves that its parts belong together (base64). */
  seal: z.base64(),
})

/** The request that the receiver gives out: its token, and the public key of the ceremony. */
export type CeremonyRequest = z.infer<typeof requestSchema>
export type CeremonyPackage = z.infer<typeof packageSchema>
export interface SealedPackage {
  readonly content: CeremonyPackage
  readonly bytes: Buffer
  readonly seal: Buffer
}

export const requestFormat = 'strongroom backup keys request 2'
export const packageFormat = 'strongroom backup keys 2'

export function writeRequest(request: CeremonyRequest): string {
  return JSON.stringify(request)
}

/**
 * Reads a request.
 * @throws Fault `hsm.rejected` for any other text
 */
export function readRequest(text: string): CeremonyRequest {
  if (text.includes('BEGIN PUBLIC KEY'))
    throw refused('This is a transport key, which release 0.2.0 took: run "strongroom backup-keys invite" there.')
  return parse(requestSchema, text, 'This is not a request of "strongroom backup-keys invite", or it was damaged.')
}

export function writePackage(content: CeremonyPackage, seal: (bytes: Buffer) => Buffer): string {
  const text = JSON.stringify(content)
  return JSON.stringify({ content: text, seal: seal(Buffer.from(text)).toString('base64') })
}

/**
 * Reads a package, without a check of its seal.
 * @throws Fault `hsm.rejected` for any other text
 */
export function readPackage(text: string): SealedPackage {
  if (text.includes('"strongroom-backup-keys-1"'))
    throw refused(
      'This package was made by release 0.2.0, whose check value can be forged: run "strongroom backup-keys share" of this release.',
    )
  const { content, seal } = parse(sealedPackageSchema, text, noPackage)
  return {
    content: parse(packageSchema, content, noPackage),
    bytes: Buffer.from(content),
    seal: Buffer.from(seal, 'base64'),
  }
}

const noPackage = 'This is not a package of backup keys, or it was damaged.'

/**
 * The digest that the two operators compare aloud: the first 128 bits of SHA-256 over the whole text, in groups of four
 * hexadecimal digits. An attacker who wants to substitute another text needs one with the same digest, which takes some
 * 2^128 tries.
 */
export function digestOf(paper: string): string {
  const digits = hash('sha256', paper).slice(0, 32)
  return digits.replace(/(.{4})(?=.)/g, '$1 ')
}

/** @throws Fault `hsm.rejected` unless `heard` is the digest of `paper`, with any spacing */
export function checkDigest(paper: string, heard: string): void {
  const digits = heard.toLowerCase().replace(/[\s:-]/g, '')
  if (digits !== digestOf(paper).replaceAll(' ', ''))
    throw refused(
      'The digits are not those of this file: it was changed or exchanged on its way. Nothing was done; begin the ceremony again.',
    )
}

function parse<T>(schema: z.ZodType<T>, text: string, otherwise: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new Fault('hsm.rejected', otherwise, { cause: error })
  }
}

const refused = (detail: string): Fault => new Fault('hsm.rejected', detail)
