import type { SealedRecord } from './sealed-record.ts'
import type { RewrappedVersion } from './sealing-port.ts'

/** The part of the port by which the operator has the rows of earlier releases taken over, once. */
export interface EarlierRows {
  /**
   * Seals the record of an unsealed row as it is. Users and application keys get their identity by this. Rejects with
   * `hsm.rejected` after `endTakeover`.
   */
  sealEarlier(record: Uint8Array): Promise<{ readonly identity: Buffer; readonly seal: Buffer }>

  /**
   * Takes over a key of release 0.2.0: gives it an identity, adds the wrapping by the key of its vault, moves backups
   * that the PIN could read under a KEK with an unwrap template, and seals the new records. Other fields stay. Rejects
   * with `hsm.rejected` where the records do not belong to one key and vault, and after `endTakeover`.
   */
  takeOverKey(key: EarlierKey): Promise<TakenOverKey>

  /** The seal of a vault key's record of release 0.2.0 with the vault's identity instead of its row number. */
  takeOverVaultKey(vault: EarlierVault): Promise<Buffer>

  /** Ends the takeover: from then on unsealed rows are refused. */
  endTakeover(): Promise<void>
}

/** The sealed records of a vault and its key, where the key's record is of release 0.2.0. */
export interface EarlierVault {
  readonly vaultKey: SealedRecord
  readonly vault: SealedRecord
}

export interface EarlierKey extends EarlierVault {
  readonly policy: SealedRecord
  readonly versions: readonly { readonly key: SealedRecord; readonly count: SealedRecord }[]
}

/** The changed fields of a key that was taken over. */
export interface TakenOverKey {
  readonly identity: Buffer
  /** Seal of the policy. */
  readonly seal: Buffer
  /** One per version, in the order of the request. */
  readonly versions: readonly (RewrappedVersion & { readonly countSeal: Buffer })[]
}
