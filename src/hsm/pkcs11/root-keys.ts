import type { KekName } from '../key-kind.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import type { TokenObject } from './token-objects.ts'

export interface AuditPair {
  readonly publicKey: KeyHandle
  /**
   * Undefined once this version is destroyed. The public half stays, because backups identify the appliance by the
   * first one.
   */
  readonly privateKey: KeyHandle | undefined
}

export interface Named {
  /** Name with version, for example `strict.v1`. */
  readonly name: string
  readonly handle: KeyHandle
}

/**
 * The root objects that a host uses, found once per epoch, and again when there may be a new version. Backup keys are
 * looked up only when they are needed.
 */
export interface RootKeys {
  /** Labels of the versions that are used for new keys, seals and checks. */
  readonly newest: readonly string[]
  /** All versions, the newest first. The newest one seals; all of them verify. */
  readonly seals: readonly KeyHandle[]
  /** Increases when a version of the seal is gone. Records verified before have to be verified again. */
  readonly sealsGone: number
  /** By version, newest first. */
  readonly peppers: ReadonlyMap<number, KeyHandle>
  /** By version, oldest first. At least one of them can sign. */
  readonly audits: ReadonlyMap<number, AuditPair>
  /** The newest KEK of this name, which wraps new keys: see `KnownVersion`. */
  newestKek(name: KekName): Named
  /**
   * The KEK that a record names, for example `strict.v1`.
   * @throws Fault `hsm.rejected` where the token has no such key
   */
  kek(name: string): KeyHandle
  hasKek(name: string): boolean
  /** @throws Fault `hsm.unavailable` where the token has none */
  newestBackupSeal(): Named
  /** @throws Fault `hsm.rejected` where the token has no such seal */
  backupSeal(name: string): KeyHandle
  /** Whether the KEK that a record names has an effective unwrap template (`hidesKeys`), tried once per epoch. */
  hides(name: string): boolean
  /**
   * Updates the root keys from `objects`, which are all objects in the token. Returns whether another KEK is the newest
   * now.
   */
  refresh(objects: readonly TokenObject[]): boolean
  /**
   * Searches the token for versions that the keeper knows of since the last call, as another machine's operator may have
   * had them made; each minute for those that it does not have. Returns whether another KEK is the newest now.
   */
  lookForKnown(): boolean
  /**
   * Searches the token and updates the root keys, for use after a name or seal of an unknown version. Returns false
   * without a search when the last one was within `searchEveryMs`.
   */
  searchAgain(): boolean
}

/**
 * The newest version of a role that the operator has had made; undefined where that is not known. Anyone with the PIN can
 * make an object with the label of a later version, whose value they know: it counts as older than all others.
 */
export type KnownVersion = (role: string) => number | undefined
