import { createPublicKey, randomUUID } from 'node:crypto'
import { link, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publicKeyPem } from '../encoding/pem.ts'
import { errorCodeOf, Fault } from '../fault.ts'
import { keysFrom, type TrailKeys } from '../hsm/audit-succession.ts'
import { textIfThere } from './optional-text.ts'

/** The public key in the folder of the trail, for auditors: PEM, SubjectPublicKeyInfo. */
const publicKeyFile = 'audit-public.pem'

/**
 * The key in the folder of the trail as DER SubjectPublicKeyInfo; undefined if there is none yet.
 * @throws Fault `audit.unavailable` if it is damaged
 */
export async function readPublicKey(directory: string): Promise<Buffer | undefined> {
  const pem = await textIfThere(join(directory, publicKeyFile))
  return pem === undefined ? undefined : parsePublicKey(pem)
}

function parsePublicKey(pem: string): Buffer {
  try {
    return createPublicKey(pem).export({ type: 'spki', format: 'der' })
  } catch (cause) {
    throw new Fault(
      'audit.unavailable',
      `${publicKeyFile} in audit.directory is damaged: remove it, and the service writes it again.`,
      { cause },
    )
  }
}

/**
 * Writes the first key of the trail to its folder, or compares the file that is there with all known keys. One trail is
 * sealed by one key and its successors.
 * @throws Fault `audit.unavailable` if the file is damaged or holds another key
 */
export async function leavePublicKey(directory: string, keys: TrailKeys): Promise<void> {
  const known = [...keysFrom(keys).values()].map(({ publicKey }) => publicKey)
  const publicKey = known[0] ?? keys.publicKey
  const draft = join(directory, `${publicKeyFile}.${randomUUID()}`)
  try {
    // Flushed before it is linked: otherwise a power cut could leave an empty file under that name.
    await writeFile(draft, publicKeyPem(publicKey), { mode: 0o644, flag: 'wx', flush: true })
    await link(draft, join(directory, publicKeyFile))
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    const there = await readPublicKey(directory)
    if (there !== undefined && known.some((one) => one.equals(there))) return
    throw new Fault(
      'audit.unavailable',
      `${publicKeyFile} in audit.directory is not the public key of this token; give the token a folder of its own.`,
    )
  } finally {
    await rm(draft, { force: true })
  }
}
