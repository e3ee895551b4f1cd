import { VaultTable } from '../../features/vaults/records.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import type { MoveInventory } from '../../hsm/pkcs11/token-move.ts'
import { vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import type { TokenContext } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import { describePlan, type OldVersion, planOf } from '../root-keys/rotation-plan.ts'
import { describeKeys, type UnmovableKey, unmovableKeys } from '../transparent/unmovable-keys.ts'

/** The keys that stay in the old token, and what their owners can do. */
export interface LeftBehind {
  /** Locked versions of root keys under which something is still needed. */
  readonly roots: readonly OldVersion[]
  /** Keys with versions under those, and keys whose owners made them as objects of the token. */
  readonly keys: readonly UnmovableKey[]
  /** Vaults whose data key is locked, and with it all their objects. */
  readonly vaults: readonly { readonly id: number; readonly name: string }[]
}

export async function leftBehind(context: TokenContext, inventory: MoveInventory): Promise<LeftBehind> {
  const { locked } = inventory
  const reader = context.store.read
  const roots = locked.flatMap(({ label }) => {
    const role = roleOf(label)
    return role === undefined
      ? []
      : [{ role, label, version: versionOf(label), newest: false, lacks: [], readable: false }]
  })
  const ids = new Set(locked.filter(({ label }) => label === vaultKeyLabel).map(({ id }) => id))
  const vaults =
    ids.size === 0 ? [] : await reader.find(VaultTable, { where: { keyKek: vaultKek }, order: { id: 'ASC' } })
  return {
    roots: (await planOf(context, roots)).filter(({ needed }) => needed),
    keys: await unmovableKeys(reader, inventory),
    vaults: vaults.filter(({ keyBlob }) => ids.has(keyBlob.toString('hex'))).map(({ id, name }) => ({ id, name })),
  }
}

export const isEmpty = ({ roots, keys, vaults }: LeftBehind): boolean =>
  roots.length + keys.length + vaults.length === 0

export function describeLeft({ roots, keys, vaults }: LeftBehind): string[] {
  return [
    ...describePlan(roots.map((root) => ({ ...root, keys: [] }))),
    ...(keys.length === 0
      ? []
      : [
          '',
          `${count(keys.length, 'key')} with something that cannot leave:`,
          ...describeKeys(keys, mostShown),
          '',
          'What their owners do, call by call: strongroom transparent rewrap-plan',
        ]),
    ...(vaults.length === 0
      ? []
      : [
          '',
          `${count(vaults.length, 'vault')} whose key is locked: make a new one for each, and move what it holds`,
          ...vaults.slice(0, mostShown).map(({ id, name }) => `  ${id}  ${name}`),
        ]),
  ]
}

const mostShown = 20

/** Ids of the data keys of existing vaults. Keys pending destruction are not moved. */
export async function vaultKeysOf({ store }: Pick<TokenContext, 'store'>): Promise<ReadonlySet<string>> {
  const vaults = await store.read.find(VaultTable, { where: { keyKek: vaultKek } })
  return new Set(vaults.map(({ keyBlob }) => keyBlob.toString('hex')))
}
