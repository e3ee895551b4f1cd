import { createPublicKey, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { errnoOf } from './errno.ts'

/** The public key beside the trail, for auditors to take away: PEM, SubjectPublicKeyInfo. */
export const publicKeyFile = 'audit-public.pem'

/** The key beside the trail as DER SubjectPublicKeyInfo; undefined when there is none yet. */
export async function readPublicKey(directory: string): Promise<Buffer | undefined> {
  const pem = await readFile(join(directory, publicKeyFile), 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  return pem === undefined ? undefined : createPublicKey(pem).export({ type: 'spki', format: 'der' })
}

/**
 * Leaves the token's public key beside the trail, or compares it with the one that is there. Rejects with
 * `audit.unavailable` when they differ: one trail is sealed by one key.
 */
export async function leavePublicKey(directory: string, publicKey: Buffer): Promise<void> {
  const pem = createPublicKey({ key: publicKey, format: 'der', type: 'spki' }).export({ type: 'spki', format: 'pem' })
  const draft = join(directory, `${publicKeyFile}.${randomUUID()}`)
  try {
    await writeFile(draft, pem, { mode: 0o644, flag: 'wx' })
    await link(draft, join(directory, publicKeyFile))
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    if ((await readPublicKey(directory))?.equals(publicKey) === true) return
    throw new Fault(
      'audit.unavailable',
      `${publicKeyFile} in audit.directory is not the public key of this token; give the token a folder of its own.`,
    )
  } finally {
    await rm(draft, { force: true })
  }
}
