import { statfsSync } from 'node:fs'
import { createSealVerifier } from '../../audit/seal.ts'
import { successionsFile, successionsIn } from '../../audit/trail-keys.ts'
import { BackupError } from '../../backup/backup-error.ts'
import { readBackup, type ReadBackup, shortKey, whole } from '../../backup/backup-reader.ts'
import { entryFolders } from './appliance-places.ts'
import { sizeText } from './size-text.ts'

/** More than enough: there are rarely two successions in a year, and each has a few kilobytes. */
const mostSuccessionBytes = 16 * 1024 * 1024

/**
 * Reads a whole backup without writing any of it, so that a backup by an attacker who knows a recipient cannot fill the
 * disk. Its manifest then tells what may be written. `publicKey` is the audit key that must have signed the backup, or
 * an earlier or later one of the same trail.
 * @throws BackupError if another key signed
 */
export async function previewBackup(
  file: string,
  identities: readonly string[],
  publicKey: Buffer | undefined,
): Promise<ReadBackup> {
  let successions: string[] = []
  const read = await readBackup({ file, identities }, async ({ name, content }) => {
    if (name !== `${entryFolders.trail}/${successionsFile}`) return
    const text = await whole(content, mostSuccessionBytes, 'The public keys in the backup have no end')
    successions = text.toString().split('\n')
  })
  checkSigner(read, publicKey, successionsIn(successions))
  return read
}

/** @throws BackupError unless this key or an earlier or later one of its trail signed */
export function checkSigner(
  { signer }: Pick<ReadBackup, 'signer'>,
  publicKey: Buffer | undefined,
  successions: ReturnType<typeof successionsIn>,
): void {
  if (!createSealVerifier({ publicKey: publicKey ?? signer, successions }).knows(shortKey(signer)))
    throw new BackupError(
      `The key ${shortKey(signer)} signed this backup, which is not the one of --public-key, nor one before or after it: it is of another appliance, or made up.`,
    )
}

/**
 * @throws BackupError if the disk of this folder has no space for those files of the manifest that are to be written
 */
export function checkRoom(
  folder: string,
  { manifest }: Pick<ReadBackup, 'manifest'>,
  isWritten: (name: string) => boolean,
): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = manifest.files.reduce((sum, { name, size }) => sum + (isWritten(name) ? size : 0), 0)
  if (needed > bavail * bsize)
    throw new BackupError(
      `What is in the backup needs ${sizeText(needed)}, and the disk of ${folder} has ${sizeText(bavail * bsize)}: free some.`,
    )
}
