import type { Caller, VaultAccess } from './caller.ts'
import type { Tx } from '../store/store.ts'
import type { Subject } from './subject.ts'

/** What the gate is asked: a token, and where the path leads. */
export interface AdmissionRequest {
  readonly token: string
  /** Where the call comes from. */
  readonly address: string
  readonly vaultId?: number
  readonly subject?: { readonly subject: Subject<unknown>; readonly name: string | number }
}

/** What the database says of a caller at this moment. */
export interface Admission {
  readonly caller: Caller
  /** Absent when the caller is no member of the vault, or there is no such vault: the two must look the same. */
  readonly vault: VaultAccess | undefined
  readonly subject: unknown
  /** The token for the next call: another than the supplied one when it was replaced. */
  readonly token: string
}

/** The door every call passes, and the only source of a Caller. */
export interface Gate {
  /** @throws Fault `session.invalid` */
  admit(request: AdmissionRequest): Promise<Admission>
  /**
   * What the caller may do at this moment of a transaction, or outside any: a call may take long after it was admitted.
   * @throws Fault `session.invalid`
   */
  confirm(tx: Tx, admission: Admission): Promise<Admission>
}
