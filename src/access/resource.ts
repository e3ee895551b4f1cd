import type { FaultCode } from '../fault.ts'

/**
 * A thing in a vault that a path names, fetched by the same statement that authenticates the caller: so permission and
 * record are of one moment, and a hot call costs one query.
 */
export interface ResourceQuery<Row> {
  /** The path parameter that holds its name. */
  readonly parameter: string
  /** SQL list of columns, each with an alias of its own. */
  readonly columns: string
  /** SQL joins; `vault` and `name` are the expressions to compare with. */
  join(vault: string, name: string): string
  /** Undefined when the join found nothing. */
  read(row: Readonly<Record<string, unknown>>): Row | undefined
  /** For a thing whose id alone says where it is: its join comes first, and leads to the vault. */
  readonly vaultOf?: VaultOf
}

export interface VaultOf {
  /** What it is called in the audit trail. */
  readonly noun: string
  /** SQL expression of the vault that it lies in. */
  readonly vault: string
  /** Says that it is not there, or not for the caller: the two must look the same. */
  readonly missing: FaultCode
}

/** The id that a path or a command names: decimal digits without a leading zero; undefined for what cannot be one. */
export function decimalId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}
