import { createPublicKey, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf, Fault } from '../fault.ts'
import { keysFrom, type Succession } from '../hsm/audit-succession.ts'

/** The public key in the folder of the trail, for auditors: PEM, SubjectPublicKeyInfo. */
const publicKeyFile = 'audit-public.pem'

/**
 * The key in the folder of the trail as DER SubjectPublicKeyInfo; undefined if there is none yet.
 * @throws Fault `audit.unavailable` if it is damaged
 */
export async function readPublicKey(directory: string): Promise<Buffer | undefined> {
  const pem = await readFile(join(directory, publicKeyFile), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  })
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
export async function leavePublicKey(
  directory: string,
  { publicKey: newest, successions }: { readonly publicKey: Buffer; readonly successions: readonly Succession[] },
): Promise<void> {
  const known = [...keysFrom(newest, successions).values()].map(({ publicKey }) => publicKey)
  const publicKey = known[0] ?? newest
  const pem = createPublicKey({ key: publicKey, format: 'der', type: 'spki' }).export({ type: 'spki', format: 'pem' })
  const draft = join(directory, `${publicKeyFile}.${randomUUID()}`)
  try {
    // Flushed before it is linked: otherwise a power cut could leave an empty file under that name.
    await writeFile(draft, pem, { mode: 0o644, flag: 'wx', flush: true })
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
