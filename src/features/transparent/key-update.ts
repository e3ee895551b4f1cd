import type { Granted } from '../../access/caller.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Reader, Store } from '../../store/store.ts'
import { changedKey, type KeyChanges } from './key-policy.ts'
import { findVersions, type KeyVersion, type TransparentKey } from './records.ts'
import { createKeyRows, type ChangedVersion, type KeyRows } from './sealing.ts'
import { ofEachVersion } from './version-groups.ts'

/** Changes flags and limits of a key, based on its present row. */
export async function updateKey(
  { store, hsm }: { readonly store: Pick<Store, 'read'>; readonly hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'> },
  by: Granted,
  key: TransparentKey,
  changes: KeyChanges,
  commit: Commit,
): Promise<TransparentKey> {
  const rows = createKeyRows(hsm)
  // Turning backup off also deletes the backup blobs of all versions.
  const endsBackup = ({ allowBackup }: TransparentKey): boolean => changes.allowBackup === false && allowBackup === 1
  const ahead = endsBackup(key)
    ? await sealedWithoutBackup(rows, store.read, by, key, changes)
    : new Map<string, never>()
  return rows.change(key, commit, async (current, tx) => {
    const next = changedKey(current, changes)
    if (endsBackup(current))
      for (const version of await findVersions(tx, current.id)) {
        const sealed = ahead.get(sealText(version))
        if (sealed === undefined) await rows.replaceVersion(tx, current, version, withoutBackup)
        else await rows.putVersion(tx, sealed)
      }
    return next
  })
}

const withoutBackup = { backupKek: null, backupBlob: null } as const

const sealText = ({ seal }: KeyVersion): string => seal.toString('base64')

/** Seals the versions before the transaction, in which waiting for the keeper would block all other writers. */
async function sealedWithoutBackup(
  rows: KeyRows,
  reader: Reader,
  by: Granted,
  key: TransparentKey,
  changes: KeyChanges,
): Promise<ReadonlyMap<string, ChangedVersion>> {
  // Throws here where the change is refused, before anything is sealed.
  changedKey(key, changes)
  const changed = await ofEachVersion(await findVersions(reader, key.id), async (version) =>
    rows.sealVersion(reader, key, version, withoutBackup, await by.grant()),
  )
  return new Map(changed.map((one) => [sealText(one.from), one]))
}
