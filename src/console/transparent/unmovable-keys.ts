import type { TransparentKey } from '../../features/transparent/records.ts'
import { VaultTable } from '../../features/vaults/records.ts'
import { tokenObjectKek } from '../../hsm/key-kind.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import type { MoveInventory } from '../../hsm/pkcs11/token-move.ts'
import type { Reader } from '../../store/store.ts'
import { count, table } from '../output/command-answer.ts'
import { keysUnder, rangeOf } from '../root-keys/kek-records.ts'
import { kekOf } from '../root-keys/root-versions.ts'

/** A key with versions that cannot leave their token. */
export interface UnmovableKey {
  readonly key: Pick<
    TransparentKey,
    'vaultId' | 'name' | 'type' | 'latestVersion' | 'minEncryptionVersion' | 'minDecryptionVersion'
  > & { readonly allowDelete: boolean; readonly isDeleted: boolean }
  readonly vaultName: string
  /** The versions that stay, in ascending order. */
  readonly versions: readonly number[]
  /** Label of the locked root key that wraps them or their backups; undefined for objects of the token. */
  readonly below: string | undefined
}

/** Keys under locked root keys, and keys that are objects of the token, ordered by vault and name. */
export async function unmovableKeys(
  reader: Reader,
  { locked }: Pick<MoveInventory, 'locked'>,
): Promise<UnmovableKey[]> {
  const keks = locked.flatMap(({ label }) => {
    const role = roleOf(label)
    const kek = role && kekOf({ role, version: versionOf(label) })
    return kek === undefined ? [] : [{ kek, below: label }]
  })
  const found = await Promise.all(
    [...keks, { kek: tokenObjectKek, below: undefined }].map(async ({ kek, below }) =>
      (await keysUnder(reader, kek)).map((key) => ({ key, below })),
    ),
  )
  const keys = found.flat()
  const vaults = keys.length === 0 ? [] : await reader.find(VaultTable)
  const names = new Map(vaults.map(({ id, name }) => [id, name]))
  return keys
    .map(({ key, below }) => ({
      key: { ...key, allowDelete: key.allowDelete === 1, isDeleted: key.deletedAt !== null },
      vaultName: names.get(key.vaultId) ?? '',
      versions: key.versions,
      below,
    }))
    .toSorted((a, b) => a.key.vaultId - b.key.vaultId || a.key.name.localeCompare(b.key.name))
}

/** The lowest version that the key may keep. If it does not exist yet, a rotation makes it. */
export const firstKept = ({ versions }: UnmovableKey): number => (versions.at(-1) ?? 0) + 1

/** Whether the latest version, which encrypts now, stays behind too. */
export const needsRotation = ({ key, versions }: UnmovableKey): boolean => versions.at(-1) === key.latestVersion

/** A table of keys, each with a short list of steps. */
export function describeKeys(keys: readonly UnmovableKey[], most = Infinity): string[] {
  return [
    ...table([
      ['  VAULT', 'KEY', 'TYPE', 'LATEST', 'STAY', 'BECAUSE', 'TO DO'],
      ...keys
        .slice(0, most)
        .map((one) => [
          `  ${one.key.vaultId}`,
          one.key.name,
          one.key.type,
          String(one.key.latestVersion),
          rangeOf(one.versions),
          one.below === undefined ? 'residency "token"' : `${one.below} is locked`,
          inShort(one),
        ]),
    ]),
    ...(keys.length > most ? [`  and ${count(keys.length - most, 'key')} more`] : []),
  ]
}

function inShort(one: UnmovableKey): string {
  if (one.key.isDeleted) return 'deleted: it ends by itself'
  if (one.below === undefined) return 'make another, encrypt again, delete'
  return `${needsRotation(one) ? 'rotate, ' : ''}rewrap, trim to ${firstKept(one)}`
}
