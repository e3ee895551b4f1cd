import type { KeyKind } from './key-kind.ts'
import type { GeneratedKey, ImportOptions, WrappedKey } from './wrapped-key.ts'

/** How keys go from one appliance to another that holds the same backup keys (`createSharedBackupKeys` in `hsm/pkcs11`). */
export interface KeyBackup {
  /** HMAC-SHA-256 over `bytes` by the newest backup seal (32 bytes), and that seal's name, for example `backup-seal.v1`. */
  sealBackup(bytes: Uint8Array): Promise<BackupSeal>

  /**
   * Rejects with `hsm.seal_broken` unless the backup seal of that name made `backup.seal` over `bytes`, with `hsm.rejected` where the
   * token has no backup seal of that name: then the backup comes from an appliance with other backup keys.
   */
  verifyBackup(bytes: Uint8Array, backup: BackupSeal): Promise<void>

  /** The same key wrapped by the newest backup KEK. */
  rewrapBackup(kind: KeyKind, backup: WrappedKey): Promise<WrappedKey>

  /** Takes a key from under a backup KEK into use, as `importKey` takes one from outside: options and faults are the same. */
  restoreKey(kind: KeyKind, backup: WrappedKey, options: ImportOptions): Promise<GeneratedKey>
}

export interface BackupSeal {
  readonly name: string
  /** 32 bytes. */
  readonly seal: Buffer
}
