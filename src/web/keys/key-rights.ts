import type { VaultKeyRules, SharedVault } from '../interface/calls.ts'

type Entry = NonNullable<SharedVault['grants']>[number]
/** What grants can allow to be done with a key. */
export type GrantedUse = Extract<Entry, { readonly keys: string }>['operations'][number]

/**
 * What a person may do with the keys of a vault, so that the page offers no more. The appliance decides by itself at each
 * call.
 */
export interface KeyRights {
  /** Makes and changes keys. */
  readonly mayWrite: boolean
  readonly mayAdminister: boolean
  readonly mayUse: (use: GrantedUse, name: string) => boolean
  /** A data key in the open, which more is asked for than for a wrapped one. */
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

/** Each `*` stands for any number of characters. The pieces between them are found from the left, each as soon as it comes. */
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
