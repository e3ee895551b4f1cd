/** The bytes of a record (`record-layouts.ts`) and what the token's seal key makes of them. */
export interface SealedRecord {
  readonly record: Buffer
  /** 32 bytes. */
  readonly seal: Buffer
}
