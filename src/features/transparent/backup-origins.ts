import { hash } from 'node:crypto'
import type { VaultAccess } from '../../access/caller.ts'
import { permissionBits } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { encodeRecord } from '../../hsm/key-record.ts'
import { openRecord } from '../../hsm/record-layouts.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { findVault, findVaultByIdentity, vaultsOf, type Vault } from '../vaults/records.ts'
import type { BackupOrigin } from '../../hsm/key-backup-record.ts'
import { findAccepted, saveAccepted, type AcceptedBackup } from './backup-origin-records.ts'
import { mapBrokenSeal } from './sealing.ts'

/** One restoration: who restores which backup into which vault. */
export interface Arrival {
  readonly vaultId: number
  readonly userId: number
  /** Undefined where the backup does not name its vault (made by an early release). */
  readonly origin: BackupOrigin | undefined
  readonly backup: Buffer
  /** The vault that the records of the restored key name. The row of the vault may say otherwise. */
  readonly vault: string
  readonly isAdminThere: boolean
}

/** Decides into which vaults a backup may be restored. */
export interface BackupOrigins {
  /** The origin that backups of keys of this vault state. @throws Fault `vault.not_found` */
  of(reader: Reader, vaultId: number): Promise<BackupOrigin>
  /**
   * Whether the caller is an Admin of the vault of the backup, by the keeper's grant, since rows of members may be made up.
   * Asks for none where it does not matter: for a backup of this vault, or one that the operator has allowed.
   */
  isAdminThere(
    reader: Reader,
    arrival: Omit<Arrival, 'isAdminThere'>,
    grantIn: VaultAccess['grantIn'],
  ): Promise<boolean>
  /**
   * Allows a backup into the vault that it was made of, into another vault for an Admin of both, and into any vault
   * that the operator has allowed it into.
   * @throws Fault `backup.foreign`, `key.tampered`
   */
  check(tx: Tx, arrival: Arrival): Promise<void>
  /** Allows this backup into this vault. For the operator only. @throws Fault `vault.not_found` */
  accept(tx: Tx, vaultId: number, backup: Buffer): Promise<void>
}

export function createBackupOrigins(dependencies: {
  readonly hsm: Pick<Hsm, 'auditPublicKey' | 'checkVaultNumber' | 'seal' | 'verify'>
  readonly clock: Clock
}): BackupOrigins {
  const { hsm, clock } = dependencies

  async function of(reader: Reader, vaultId: number): Promise<BackupOrigin> {
    return { vault: (await existingVault(reader, vaultId)).identity, appliance: sha256(await hsm.auditPublicKey()) }
  }

  async function isAccepted(reader: Reader, vaultId: number, backup: Buffer): Promise<boolean> {
    const accepted = await findAccepted(reader, vaultId, sha256(backup))
    if (accepted === null) return false
    const { seal } = accepted
    const record = acceptanceRecord(await existingVault(reader, vaultId), accepted)
    await mapBrokenSeal(() => hsm.verify({ record, seal }))
    return true
  }

  return {
    of,

    async isAdminThere(reader, { origin, vault: here, vaultId, backup }, grantIn) {
      if (origin === undefined || origin.vault === here || (await isAccepted(reader, vaultId, backup))) return false
      const from = await findVaultByIdentity(reader, origin.vault)
      const sealed = from === null ? undefined : await grantIn(from.id)
      if (sealed === undefined) return false
      const grant = openRecord(sealed.record)
      if (grant.type !== 'grant') throw new TypeError('the keeper gave no grant')
      const { vault, permission } = grant.fields
      return vault?.toString('hex') === origin.vault && permission === permissionBits.Admin
    },

    async check(tx, { vaultId, userId, origin, backup, vault, isAdminThere }) {
      const here = await of(tx, vaultId)
      if (origin?.appliance === here.appliance) {
        if (origin.vault === vault) return
        const from = await findVaultByIdentity(tx, origin.vault)
        const shared = from === null ? [] : await vaultsOf(tx, userId)
        if (isAdminThere && shared.some(({ id, permission }) => id === from?.id && permission === 'Admin')) return
      }
      if (!(await isAccepted(tx, vaultId, backup)))
        throw new Fault(
          'backup.foreign',
          'This backup is not of this vault: restoring it here takes an Admin of both vaults, or the operator (strongroom vault accept-backup).',
        )
    },

    async accept(tx, vaultId, backup) {
      const vault = await existingVault(tx, vaultId)
      await hsm.checkVaultNumber(vault)
      const accepted = { vaultId, digest: sha256(backup), acceptedAt: clock.now() }
      const seal = await hsm.seal(acceptanceRecord(vault, accepted))
      await saveAccepted(tx, { ...accepted, seal })
    },
  }
}

export function acceptanceRecord({ identity }: Vault, { digest, acceptedAt }: Omit<AcceptedBackup, 'seal'>): Buffer {
  return encodeRecord(['accepted backup', identity, digest, acceptedAt])
}

async function existingVault(reader: Reader, vaultId: number): Promise<Vault> {
  const vault = await findVault(reader, vaultId)
  if (vault === null) throw new Fault('vault.not_found')
  return vault
}

const sha256 = (bytes: Buffer): string => hash('sha256', bytes)
