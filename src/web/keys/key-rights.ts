import type { VaultKeyRules, SharedVault } from '../interface/calls.ts'

type Entry = NonNullable<SharedVault['grants']>[number]
/** The operations with a key that grants can allow. */
export type GrantedUse = Extract<Entry, { readonly keys: string }>['operations'][number]

/**
 * The person's rights to the keys of a vault, by which the page shows functions. The appliance checks each call itself.
 */
export interface KeyRights {
  /** May create and change keys. */
  readonly mayWrite: boolean
  readonly mayAdminister: boolean
  readonly mayUse: (use: GrantedUse, name: string) => boolean
  /** May get data keys as plaintext, which needs more than a wrapped data key does. */
  readonly mayDrawDataKeys: (name: string) => boolean
}

const ranks: Readonly<Record<string, number>> = { Read: 1, Write: 2, Admin: 3 }

export function keyRights({ statustext, grants }: SharedVault, rules: VaultKeyRules): KeyRights {
  const rank = ranks[statustext] ?? 0
  const mayUse = (use: GrantedUse, name: string): boolean => {
    if (grants !== undefined) return grants.some((entry) => 'keys' in entry && allows(entry, use, name))
    return use !== 'sign' || rank >= (ranks[rules.signing_permission ?? 'Write'] ?? 0)
  }
  return {
    mayWrite: rank >= 2,
    mayAdminister: rank >= 3,
    mayUse,
    mayDrawDataKeys: (name) => (grants === undefined ? rank >= 2 : mayUse('datakey', name)),
  }
}

const allows = (
  { keys, operations }: Extract<Entry, { readonly keys: string }>,
  use: GrantedUse,
  name: string,
): boolean => operations.includes(use) && fitsPattern(keys, name)

/**
 * Whether a name fits a pattern in which `*` stands for any number of characters. Each piece is matched as far left as
 * possible.
 */
function fitsPattern(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  const [head = '', ...rest] = pieces
  const tail = rest.pop()
  if (tail === undefined) return name === head
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false
  let at = head.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= name.length - tail.length
}
