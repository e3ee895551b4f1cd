import { Fault, type FaultCode } from '../fault.ts'

/**
 * A resource in a vault that a path names. The statement that authenticates the caller reads it as well, so that
 * permission and resource are from the same moment, and a frequent call takes one query.
 */
export interface ResourceQuery<Row> {
  /** The path parameter with its name. */
  readonly parameter: string
  /** SQL list of columns, each with a unique alias. */
  readonly columns: string
  /** SQL joins. `vault` and `name` are the expressions to compare with. */
  join(vault: string, name: string): string
  /** The resource in the row; undefined when the join found none. */
  read(row: Readonly<Record<string, unknown>>): Row | undefined
  /** For a resource whose id is unique among all vaults: its join comes first and yields the vault. */
  readonly vaultOf?: VaultOf
}

export interface VaultOf {
  /** Its name in the audit trail. */
  readonly noun: string
  /** SQL expression for its vault. */
  readonly vault: string
  /** The fault for a resource that is missing or not accessible to the caller: the answers to both must be the same. */
  readonly missing: FaultCode
}

/** An id in a path or command: decimal digits without a leading zero; undefined for any other text. */
export function decimalId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The same in a path. Any other text throws the fault `missing`, since nothing has such an id. */
export function pathId(text: string, missing: FaultCode): number {
  const id = decimalId(text)
  if (id === undefined) throw new Fault(missing)
  return id
}
