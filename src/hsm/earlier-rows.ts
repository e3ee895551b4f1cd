import type { SealedRecord } from './sealed-record.ts'
import type { RewrappedVersion } from './sealing-port.ts'

/** What the keeper does, once and for the operator, with rows of releases that had no seals. */
export interface EarlierRows {
  /**
   * Seals the record of such a row, as it is; users and application keys get their identities so. Rejects with
   * `hsm.rejected` after `endTakeover`.
   */
  sealEarlier(record: Uint8Array): Promise<{ readonly identity: Buffer; readonly seal: Buffer }>

  /**
   * Gives a key of release 0.2.0 an identity, wraps its versions by the key of its vault, too, and backups that the PIN
   * could read under a KEK that hides them, and seals its records anew; all else of them stays. Rejects with
   * `hsm.rejected` where they are not of one key and vault, and after `endTakeover`.
   */
  takeOverKey(key: EarlierKey): Promise<TakenOverKey>

  /** Seals the record of a vault's key of release 0.2.0 with the vault's identity in place of its row's number. */
  takeOverVaultKey(vault: EarlierVault): Promise<Buffer>

  /** Ends the takeover: from now on an unsealed row is refused. */
  endTakeover(): Promise<void>
}

/** A vault whose key has the record of the earlier release. */
export interface EarlierVault {
  readonly vaultKey: SealedRecord
  readonly vault: SealedRecord
}

export interface EarlierKey extends EarlierVault {
  readonly policy: SealedRecord
  readonly versions: readonly { readonly key: SealedRecord; readonly count: SealedRecord }[]
}

/** The changes of the records of a key that is taken over. */
export interface TakenOverKey {
  readonly identity: Buffer
  /** Seal of the policy. */
  readonly seal: Buffer
  /** One per version that was shown. */
  readonly versions: readonly (RewrappedVersion & { readonly countSeal: Buffer })[]
}
