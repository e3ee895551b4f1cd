import { BackupError } from '../../backup/backup-error.ts'
import type { InspectedBackup } from './backup-inspection.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { agreedStatus } from '../root-keys/root-versions.ts'

/**
 * Checks that the token has the keys of this backup: all their labels, and the audit key that signed it. The other keys
 * are confirmed later, when the keeper checks the seal of each row that it renews.
 * @throws BackupError
 */
export async function checkSameKeys(
  hsm: Pick<Hsm, 'status' | 'keeperStatus' | 'auditKeys'>,
  { manifest, signer }: InspectedBackup,
): Promise<void> {
  const { objects, label } = await agreedStatus(hsm)
  const missing = manifest.token.roots.find((root) => !objects.root.includes(root))
  if (missing !== undefined)
    throw new BackupError(
      `The token ${label} has no ${missing}: restore the token that this backup is of, as its vendor says, and run this again.`,
    )
  if (!(await hsm.auditKeys()).publicKey.equals(signer))
    throw new BackupError(
      `The audit key of the token ${label} is not the one that signed this backup: restore the token that it is of, and run this again.`,
    )
}
