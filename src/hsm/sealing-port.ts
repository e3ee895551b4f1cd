import type { AuditEnd, SignedEnd } from './audit-end.ts'
import type { Succession } from './audit-succession.ts'
import type { FloorHeads, FloorNews } from './floor-news.ts'
import type { SignedJob } from './import-job-statement.ts'
import type { Provenance, WrappedKey } from './made-key.ts'
import type { SealedRecord } from './sealed-record.ts'

/** By identities. */
export interface SessionsOfAccount {
  readonly account: Buffer
  readonly keep?: Buffer | undefined
}

/** The part of the port that seals and signs: the keeper answers. */
export interface SealingPort extends TrailPort {
  /**
   * HMAC-SHA-256 over `record` by the token's seal key: 32 bytes. The keeper gives it for records whose type it knows
   * (`record-layouts.ts`) by the rule of that type; `previous` is the sealed record that this one replaces. A new record of
   * a key needs the `provenance` that the host gave with the key, which is used up by it. Rejects with
   * `hsm.rejected` for any other, with `hsm.seal_broken` where `previous` was edited, and with `hsm.outdated` where a
   * later record than `previous` was shown to the keeper. `grant`: what the caller may do for whom this is sealed, or
   * what `grantRotation` gave. The first record of a version follows the policy of its key as `previous`.
   * `member`: of a membership, the newest record of its user; of a service account, that of its owner.
   */
  seal(
    record: Uint8Array,
    previous?: SealedRecord,
    provenance?: Buffer,
    grant?: SealedRecord,
    member?: SealedRecord,
  ): Promise<Buffer>

  /** Shows the keeper records that were committed: older ones of the same things are refused from now on. */
  raise(records: readonly SealedRecord[]): Promise<void>

  /**
   * Seals a new record that gets an identity: 16 random bytes that the keeper draws in place of the empty ones of
   * `record`. `member` is as in `seal`.
   */
  sealNew(
    record: Uint8Array,
    grant?: SealedRecord,
    member?: SealedRecord,
  ): Promise<{ readonly identity: Buffer; readonly seal: Buffer }>

  /**
   * For the operator, who has restored an older database: the keeper takes what it is shown next for the newest. Used
   * one-time passwords and ended sessions stay so. Rejects with `hsm.rejected` for a worker.
   */
  acceptRestored(): Promise<void>

  /**
   * What a session may do for the next minute, sealed. Rejects with `session.invalid`, `vault.not_found` and
   * `access.resting` where it may do nothing, with `hsm.seal_broken` and `hsm.outdated` for records that were edited or
   * put back.
   */
  grant(request: GrantRequest): Promise<SealedRecord>

  /**
   * Their records get no grant any more; nor, with `others`, do those of all sessions of an account that this keeper began,
   * but of the one to keep. Rejects with `hsm.seal_broken` where one is not good; the others are ended.
   */
  endSessions(sessions: readonly SealedRecord[], others?: SessionsOfAccount): Promise<void>

  /**
   * Has the keeper wrap a version of a key under the newest KEKs, and seal its record so. What comes from under no KEK
   * to be wrapped again, and all else of the record, stays. `vaultKey` is as in a `KeyReference`. Rejects with
   * `hsm.rejected` for any other record, and wherever the operator did not ask.
   */
  rewrapVersion(
    version: SealedRecord,
    vaultKey?: SealedRecord,
  ): Promise<RewrappedVersion & { readonly generation: number }>

  /**
   * Says that a vault has ended, or a key, in place of its last record, by its sealed row: for the operator, or by the grant
   * of an Admin who may end it; of a deleted key, whose time is over, without. Once `raise` has shown it to the keeper, token
   * hosts use nothing of it any more. Rejects with `hsm.rejected` where it may not end.
   */
  sealTombstone(last: SealedRecord, grant?: SealedRecord): Promise<SealedRecord>

  /**
   * Says that an object of the token is in no record, and lets it come into none: by the provenance that the host gave with
   * it. Rejects with `hsm.rejected` where it is in one already, unless that was sealed less than a minute ago for the
   * caller whose grant this is, and was not shown to be committed. For an object of a vault that is older than provenances
   * the operator says so, without.
   */
  sealUnused(made: UnusedKey, grant?: SealedRecord): Promise<SealedRecord>

  /**
   * The seal of each of these records by the newest version of the seal key: the records stay as they are, and the same
   * seal comes back where the newest made it. Undefined for one whose seal no version made. Rejects with `hsm.rejected`
   * wherever the operator did not ask.
   */
  sealAnew(records: readonly SealedRecord[]): Promise<readonly (Buffer | undefined)[]>

  /**
   * Seals the first count of a version of a key, by the keeper: no lower than any with which this version was to begin
   * before. From then on `seal` raises it. `grant` is as there.
   */
  sealFirstCount(
    record: Uint8Array,
    grant?: SealedRecord,
  ): Promise<{ readonly invocations: number; readonly seal: Buffer }>

  /**
   * What `seal` takes for the next version of a key, without a caller: where the key's sealed policy, latest version and
   * count ask for one. Rejects with `hsm.rejected` where they do not, with `hsm.seal_broken` and `hsm.outdated` for
   * records that were edited or put back.
   */
  grantRotation(policy: SealedRecord, version: SealedRecord, count: SealedRecord): Promise<SealedRecord>

  /**
   * What the keeper of this machine has to tell those of others, and how it stands with them; `heads` are the last batches
   * that the database holds, its own too. Without `heads` it tells nothing, and how it stands alone.
   */
  floorNews(heads?: FloorHeads): Promise<FloorNews>

  /**
   * Has the keeper take in what those of other machines tell. Rejects with `hsm.seal_broken` where one was edited; the
   * others are taken in.
   */
  takeFloors(batches: readonly SealedRecord[]): Promise<void>

  /** Has the keeper sign what a sealed import job says, with the audit signing key. */
  signImportJob(job: SealedRecord): Promise<SignedJob>
}

/** The part that signs the audit trail. */
export interface TrailPort {
  /** The public key with which the keeper signs the trail now, and how it came from those before. */
  auditKeys(): Promise<AuditKeyRing>

  /**
   * Has the keeper sign the trail with the newest version of the audit key from now on, and say so with both; undefined
   * where it does already. `ends`: signed ends of chains that the keeper may not know. Rejects with `hsm.rejected`
   * wherever the operator did not ask.
   */
  succeedAuditKey(ends: readonly SignedEnd[]): Promise<Succession | undefined>

  /** The last end of an audit chain that the keeper signed; undefined for a chain that it does not know. */
  lastAuditEnd(chain: string): Promise<SignedEnd | undefined>

  /**
   * Has the keeper sign the end of an audit chain with the audit signing key. Rejects with `hsm.rejected` unless it goes
   * on from the last end that was signed; the same end again gives the same signature.
   */
  signAuditEnd(end: AuditEnd): Promise<SignedEnd>
}

export interface AuditKeyRing {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly successions: readonly Succession[]
}

/** An object of the token as the host gave it, and what it was made for. */
export interface UnusedKey extends WrappedKey, Provenance {
  readonly kind: string
  readonly publicKey?: Buffer | undefined
  readonly purpose: Uint8Array
}

/** By what the keeper grants: the token of a session, and its sealed records. */
export interface GrantRequest {
  readonly token: string
  readonly session: SealedRecord
  /** Of a person, or of a service account. */
  readonly user: SealedRecord
  /** Undefined for a service account, which has none. */
  readonly applicationKey: SealedRecord | undefined
  /** For the use of one vault, which the membership names. */
  readonly membership?: SealedRecord | undefined
}

/** What changes of a version's record when its key is wrapped anew. */
export interface RewrappedVersion extends WrappedKey {
  readonly backup: WrappedKey | undefined
  /** Of the record with these. */
  readonly seal: Buffer
}
