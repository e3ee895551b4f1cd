import type { AuditEnd, SignedEnd } from './audit-end.ts'
import type { Succession, TrailKeys } from './audit-succession.ts'
import type { FloorHeads, FloorNews } from './floor-news.ts'
import type { Provenance, WrappedKey } from './made-key.ts'
import type { Generation } from './record-generation.ts'
import type { SealedRecord } from './sealed-record.ts'
import type { SignedStatement } from './signed-statement.ts'

/** Sessions of an account, by identities. */
export interface SessionsOfAccount {
  readonly account: Buffer
  readonly keep?: Buffer | undefined
}

/** What the rule of a record's type may ask for before the keeper seals the record. */
export interface SealEvidence {
  /** The sealed record that the new one replaces; for the first record of a version, the policy of its key. */
  readonly previous?: SealedRecord | undefined
  /** For a new record of a key, what the host gave with the key; it is used up. */
  readonly provenance?: Buffer | undefined
  /** Of the caller on whose behalf the record is sealed, or the result of `grantRotation`. */
  readonly grant?: SealedRecord | undefined
  /** For a membership, the newest record of its user; for a service account, that of its owner. */
  readonly person?: SealedRecord | undefined
}

/** The part of the port for sealing and signing, which the keeper answers. */
export interface SealingPort extends TrailPort {
  /**
   * The seal of `record`: HMAC-SHA-256 by the token's seal key, 32 bytes. The keeper seals only records of known types
   * (`record-layouts.ts`), by the rule of each type.
   * @throws Fault `hsm.rejected` where the rule forbids it, `hsm.seal_broken` where `previous` was edited,
   * `hsm.outdated` where the keeper was shown a later record than `previous`
   */
  seal(record: Uint8Array, evidence?: SealEvidence): Promise<Buffer>

  /** Shows the keeper committed records. From then on it refuses older ones of the same subjects. */
  raise(records: readonly SealedRecord[]): Promise<void>

  /** Seals a new record, whose empty identity the keeper replaces by 16 random bytes. */
  sealNew(
    record: Uint8Array,
    evidence?: Pick<SealEvidence, 'grant' | 'person'>,
  ): Promise<{ readonly identity: Buffer; readonly seal: Buffer }>

  /**
   * For the operator, who has restored an older database: the next records that the keeper is shown count as newest.
   * Used one-time passwords and ended sessions are kept. Rejects with `hsm.rejected` for a worker.
   */
  acceptRestored(): Promise<void>

  /**
   * For the operator, who has shown all rows of the accepted database with `raise`: a record of before that was not
   * among them is never accepted. Rejects with `hsm.rejected` for a worker.
   */
  restoredShown(): Promise<void>

  /**
   * For the operator: the subjects that the keeper was shown records of, each with the generation of its newest. `type`
   * and `more` are how the subjects begin: for members of one vault, that vault. Rejects with `hsm.rejected` for a
   * worker.
   */
  knownSubjects(type: string, ...more: readonly Buffer[]): Promise<readonly Generation[]>

  /**
   * For the operator, who names a vault by its number: rejects with `hsm.outdated` where callers used another vault by
   * this number, or this one by another number. `identity`: 32 hexadecimal digits.
   */
  checkVaultNumber(vault: { readonly id: number; readonly identity: string }): Promise<void>

  /**
   * For the operator, who has had the root keys with these labels made: they are the newest from then on, and not what
   * the token has besides. Rejects with `hsm.rejected` for a worker.
   */
  noteRoots(labels: readonly string[]): Promise<void>

  /**
   * The sealed rights of a session for the next minute. Rejects with `session.invalid`, `vault.not_found` and
   * `access.resting` where it has none, and with `hsm.seal_broken` and `hsm.outdated` for records that were edited or
   * put back.
   */
  grant(request: GrantRequest): Promise<SealedRecord>

  /**
   * Ends sessions, each by its record or by a grant of it; they get no grant from then on. With `others`, it also ends all sessions of that account that this
   * keeper began, other than the one to keep. Rejects with `hsm.seal_broken` where a seal is broken; the other sessions
   * are ended all the same.
   */
  endSessions(sessions: readonly SealedRecord[], others?: SessionsOfAccount): Promise<void>

  /**
   * Wraps a version of a key under the newest KEKs, and seals its record. The rest of the record stays, as do wrappings
   * that cannot be renewed. `vaultKey` is as in a `KeyReference`. Rejects with `hsm.rejected` for any other record and
   * unless the operator asks, and with `hsm.outdated` for a row that was put back.
   */
  rewrapVersion(
    version: SealedRecord,
    vaultKey?: SealedRecord,
  ): Promise<RewrappedVersion & { readonly generation: number }>

  /**
   * Seals that a vault or a key has ended, in place of its last record: for the operator, under the grant of an Admin
   * who may end it, or without a grant for a deleted key whose recovery window has passed. Once `raise` has shown the
   * result to the keeper, token hosts refuse its records. Rejects with `hsm.rejected` where it may not end.
   */
  sealTombstone(last: SealedRecord, grant?: SealedRecord): Promise<SealedRecord>

  /**
   * Seals that an object of the token is in no record, and keeps it out of future ones by using up the provenance that
   * the host gave with it. Rejects with `hsm.rejected` where it is in a record already, unless that was sealed less
   * than a minute ago for the caller with this grant, and no commit of it was shown. For a vault's object that no vault
   * of a restored backup has, the operator asks without one.
   */
  sealUnused(made: UnusedKey, grant?: SealedRecord): Promise<SealedRecord>

  /**
   * Seals these records by the newest version of the seal key. The records are unchanged, and a seal of the newest
   * version stays the same. Undefined for a record whose seal is of no version. Rejects with `hsm.rejected` unless the
   * operator asks.
   */
  sealAnew(records: readonly SealedRecord[]): Promise<readonly (Buffer | undefined)[]>

  /**
   * Seals the first count of a version of a key: no lower than any count with which the version was to begin before.
   * From then on `seal` raises it. `grant` is as there.
   */
  sealFirstCount(
    record: Uint8Array,
    grant?: SealedRecord,
  ): Promise<{ readonly invocations: number; readonly seal: Buffer }>

  /**
   * The grant by which `seal` allows the next version of a key without a caller, provided that the key's sealed policy,
   * latest version and count require one. Rejects with `hsm.rejected` where they do not, and with `hsm.seal_broken` and
   * `hsm.outdated` for records that were edited or put back.
   */
  grantRotation(policy: SealedRecord, version: SealedRecord, count: SealedRecord): Promise<SealedRecord>

  /**
   * The news of this machine's keeper for the others, and its standing with them. `heads`: the last batches in the
   * database, its own included. Without `heads` it gives the standing only.
   */
  floorNews(heads?: FloorHeads): Promise<FloorNews>

  /**
   * Allows a token host to make one object in the token, for five minutes: the data key of a vault, by the vault's
   * record, or the next version of a key with residency `token`, by the key's policy. `grant` is as in `seal`, and must
   * allow the record of that key. Rejects with `hsm.rejected` where it does not, and with `request.quota` where a rotation
   * without a caller got one for this key minutes ago.
   */
  permitObject(holder: SealedRecord, grant?: SealedRecord): Promise<SealedRecord>

  /**
   * Takes in the news of other keepers. Rejects with `hsm.seal_broken` where a batch was edited; the others are taken
   * in all the same.
   */
  takeFloors(batches: readonly SealedRecord[]): Promise<void>

  /**
   * Signs the statement of a sealed import job with the audit signing key. Rejects with `hsm.outdated` where the job
   * names its vault by the number of another one.
   */
  signImportJob(job: SealedRecord): Promise<SignedStatement>
}

/** The part for signing the audit trail. */
export interface TrailPort {
  /** The public key with which the keeper signs the trail now, and its succession from earlier keys. */
  auditKeys(): Promise<TrailKeys>

  /**
   * Signs the trail with the newest version of the audit key from now on, and states so under both keys; undefined
   * where it does already. `ends`: signed ends of chains that the keeper may not know. Rejects with `hsm.rejected`
   * unless the operator asks.
   */
  succeedAuditKey(ends: readonly SignedEnd[]): Promise<Succession | undefined>

  /** The last signed end of an audit chain; undefined for a chain that the keeper does not know. */
  lastAuditEnd(chain: string): Promise<SignedEnd | undefined>

  /**
   * Signs the end of an audit chain with the audit signing key. Rejects with `hsm.rejected` unless it continues the
   * last signed end. The same end again gets the same signature.
   */
  signAuditEnd(end: AuditEnd): Promise<SignedEnd>
}

/** A token object as the host gave it, and the purpose it was made for. */
export interface UnusedKey extends WrappedKey, Provenance {
  readonly kind: string
  readonly publicKey?: Buffer | undefined
  readonly purpose: Uint8Array
}

/** The basis of a grant: the token of a session, and its sealed records. */
export interface GrantRequest {
  readonly token: string
  readonly session: SealedRecord
  /** The record of a person or a service account. */
  readonly user: SealedRecord
  /** Undefined for a service account. */
  readonly applicationKey: SealedRecord | undefined
  /** For a grant in the vault of this membership. */
  readonly membership?: SealedRecord | undefined
  /** The number by which the caller named that vault. Code in a worker could give any; it is checked against the database. */
  readonly vaultNumber?: number | undefined
}

/** The changes of a version's record when its key is wrapped again. */
export interface RewrappedVersion extends WrappedKey {
  readonly backup: WrappedKey | undefined
  /** Seal of the record with these changes. */
  readonly seal: Buffer
}
