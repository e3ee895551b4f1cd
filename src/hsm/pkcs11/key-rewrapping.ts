import { type KekName, type KeyKind, tokenObjectKek } from '../key-kind.ts'
import type { OuterWrapping, WrappedKey } from '../made-key.ts'
import type { Connection } from './connection.ts'
import { checkLength } from './key-import-checks.ts'
import { rowOf, unwrapMechanism } from './key-kinds.ts'
import { transientTemplate } from './key-templates.ts'
import { type Content, removeOuterWrapping, addOuterWrapping } from './outer-wrapping.ts'
import { withTransient, wrapUnder } from './session-keys.ts'
import type { Token } from './token-link.ts'

/** The wrapped blobs of one version of a key. */
export interface Wrappings {
  readonly key: WrappedKey
  readonly backup: WrappedKey | undefined
}

/**
 * The vaults whose data keys form the outer wrapping before (`from`) and after (`to`); undefined for no outer wrapping,
 * as in release 0.2.0.
 */
export interface OuterWrappings {
  readonly from?: OuterWrapping | undefined
  readonly to?: OuterWrapping | undefined
}

/**
 * Wraps the same version under the newest KEKs, as far as the present ones let it out. A blob under the strict KEK, or
 * under a backup KEK with an unwrap template, stays as it is. A blob under a backup KEK of release 0.2.0, from which
 * the PIN could read the key, goes under a KEK with an unwrap template.
 */
export function rewrapped(token: Token, kind: KeyKind, outside: Wrappings, { from, to }: OuterWrappings): Wrappings {
  return token.run((connection) => {
    const { key, backup } = from === undefined ? outside : inside(connection, outside, from)
    const isExportable = /^(?:backup-)?exportable\./.test(key.kek)
    const renew = (wrapping: WrappedKey) => rewrap(connection, kind, wrapping, isExportable)
    // A restored key has one blob for both.
    const isOne = backup?.kek === key.kek && backup.blob.equals(key.blob)
    const renewed = renew(key)
    const next = { ...renewed, backup: isOne ? renewed : backup && renew(backup) }
    const { backup: nextBackup, kek, blob } = addOuterWrapping(connection, to, next)
    return { key: { kek, blob }, backup: nextBackup }
  })
}

/** Removes the outer wrapping, by the data key of the vault. */
function inside(connection: Connection, { key, backup }: Wrappings, outer: OuterWrapping): Wrappings {
  const open = (content: Content, { kek, blob }: WrappedKey): WrappedKey => ({
    kek,
    blob: kek === tokenObjectKek ? blob : removeOuterWrapping(connection, outer.vaultKey, content, { ...outer, blob }),
  })
  return { key: open('key version', key), backup: backup && open('backup', backup) }
}

function rewrap(connection: Connection, kind: KeyKind, wrapping: WrappedKey, isExportable: boolean): WrappedKey {
  const { roots, keySession, mechanisms } = connection
  const { kek, blob } = wrapping
  const name = successorOf(connection, kek, isExportable)
  if (name === undefined || roots.newestKek(name).name === kek) return { kek, blob: Buffer.from(blob) }
  const row = rowOf(kind)
  const key = keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, transientTemplate(row))
  return withTransient(keySession, [key], () => {
    const renewed = wrapUnder(connection, kind, name, key)
    checkLength(row, renewed)
    return renewed
  })
}

/** The kind of KEK to wrap under again; undefined where the present KEK does not let the key out. */
function successorOf({ roots }: Connection, kek: string, isExportable: boolean): KekName | undefined {
  if (kek.startsWith('exportable.')) return 'exportable'
  if (kek.startsWith('backup-exportable.')) return 'backup-exportable'
  if (!kek.startsWith('backup.') || roots.hides(kek)) return undefined
  return isExportable ? 'backup-exportable' : 'backup'
}
