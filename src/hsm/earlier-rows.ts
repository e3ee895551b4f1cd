/** What the keeper does, for the operator, with rows from before there were seals: once, and no more after its end. */
export interface EarlierRows {
  /**
   * Seals the record of such a row, as it is; users and application keys get their identities so. Rejects with
   * `hsm.rejected` after `endTakeover`.
   */
  sealEarlier(record: Uint8Array): Promise<{ readonly identity: Buffer; readonly seal: Buffer }>

  /** From now on a row without a seal is none of before. */
  endTakeover(): Promise<void>
}
