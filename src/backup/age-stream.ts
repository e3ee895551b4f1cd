import { Decrypter, Encrypter, identityToRecipient, generateX25519Identity } from 'age-encryption'
import { Readable } from 'node:stream'
import { BackupError } from './backup-error.ts'

// Files have the format age-encryption.org/v1, which the program `age` reads too.

/** Encrypts to all of these recipients (`age1…`), in chunks of 64 KiB. */
export async function encryptTo(
  recipients: readonly string[],
  source: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) addRecipient(encrypter, recipient)
  return encrypter.encrypt(streamOf(source))
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new BackupError(
      `${recipient} is not a recipient: give the age1… of the public key that "strongroom backup identity" shows.`,
      {
        cause,
      },
    )
  }
}

/** @throws BackupError if one of these is not an age recipient */
export function checkRecipients(recipients: readonly string[]): void {
  for (const recipient of recipients) addRecipient(new Encrypter(), recipient)
}

export function isRecipient(recipient: string): boolean {
  try {
    checkRecipients([recipient])
    return true
  } catch {
    return false
  }
}

/** Decrypts with the first identity that matches. @throws BackupError, also while the result is read */
export async function* decryptWith(
  identities: readonly string[],
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  try {
    yield* await decrypter.decrypt(streamOf(source))
  } catch (cause) {
    if (cause instanceof BackupError || isOfSystem(cause)) throw cause
    throw new BackupError(sentenceFor(cause), { cause })
  }
}

const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

function sentenceFor(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : ''
  if (reason.includes('no identity matched'))
    return 'The backup is encrypted to other recipients: name the file of an identity that it was made for (--identity).'
  return 'The backup is damaged or cut off: take another one, or fetch this one again.'
}

const streamOf = (source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> =>
  Readable.toWeb(Readable.from(source, { objectMode: true, highWaterMark: 1 }))

const identityForm = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/

/** The identities in a file that age-keygen(1) wrote. @throws BackupError if there are none */
export function identitiesIn(text: string, file: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const found = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (found.length === 0 || !found.every((line) => identityForm.test(line)))
    throw new BackupError(`${file} holds no identity of age: lines that begin with AGE-SECRET-KEY-1.`)
  return found
}

export async function makeIdentity(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}
