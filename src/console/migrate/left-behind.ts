import { VaultTable } from '../../features/vaults/records.ts'
import { tokenObjectKek, vaultKek } from '../../hsm/key-kind.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import type { MoveInventory } from '../../hsm/pkcs11/token-move.ts'
import { vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import type { TokenPlace } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import { keysUnder } from '../root-keys/kek-records.ts'
import { describePlan, type OldVersion, planOf, toDoOf } from '../root-keys/rotation-plan.ts'

/** What stays in the token that is left, and what its owners can do. */
export interface LeftBehind {
  /** Versions of root keys that are locked, below which something lies that is needed. */
  readonly roots: readonly OldVersion[]
  /** Keys that are objects of the token by their owners' wish. */
  readonly resident: OldVersion['keys']
  /** Vaults whose own key is locked, and with it all that they hold. */
  readonly vaults: readonly { readonly id: number; readonly name: string }[]
}

export async function leftBehind(place: TokenPlace, { locked }: MoveInventory): Promise<LeftBehind> {
  const reader = place.store.read
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
    roots: (await planOf(place, roots)).filter(({ needed }) => needed),
    resident: (await keysUnder(reader, tokenObjectKek)).map(toDoOf),
    vaults: vaults.filter(({ keyBlob }) => ids.has(keyBlob.toString('hex'))).map(({ id, name }) => ({ id, name })),
  }
}

export const isEmpty = ({ roots, resident, vaults }: LeftBehind): boolean =>
  roots.length + resident.length + vaults.length === 0

export function describeLeft({ roots, resident, vaults }: LeftBehind): string[] {
  const residents: OldVersion[] =
    resident.length === 0
      ? []
      : [
          {
            label: 'residency "token"',
            version: 0,
            usage: { rows: resident.length },
            needed: true,
            keys: resident,
            uses: [
              {
                what: `${count(resident.length, 'key')} that never leave a token`,
                remedy: 'make new keys without it, rewrap what these encrypted',
              },
            ],
          },
        ]
  const keys = [...roots, ...residents].flatMap((one) => one.keys)
  return [
    ...describePlan([...roots, ...residents]),
    ...(keys.length === 0 ? [] : ['', ...calls]),
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

const calls = [
  'The calls for it, under /api/1.0 (Write rotates, Read rewraps, Admin trims):',
  '  rotate  POST /transparent/VAULT/keys/KEY/rotate',
  '  rewrap  POST /transparent/rewrap/VAULT/KEY, with each ciphertext',
  '  trim    POST /transparent/VAULT/keys/KEY/trim',
]

/** Ids of the keys of vaults that are there: one that waits to be destroyed stays where it is. */
export async function vaultKeysOf({ store }: Pick<TokenPlace, 'store'>): Promise<ReadonlySet<string>> {
  const vaults = await store.read.find(VaultTable, { where: { keyKek: vaultKek } })
  return new Set(vaults.map(({ keyBlob }) => keyBlob.toString('hex')))
}
