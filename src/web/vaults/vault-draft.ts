import { changed } from '../controls/changed-members.ts'
import { TypingForm } from '../controls/kept-typing.ts'
import type { SharedVault } from '../interface/calls.ts'
import { defaultHistory } from './vault-reads.ts'

/** The typed properties of a vault. */
export interface TypedVault {
  readonly vaultname: string
  readonly description: string
  readonly policy: string
  readonly history: string
}

export interface VaultEditing {
  /** The vault at the opening of the dialog, because the page may load it again meanwhile. */
  readonly before: TypedVault
  readonly typed: TypedVault
}

/** Id of the policy without rules, which the interface gives a vault by default. */
const usualPolicy = '16'

/** A vault as its form shows it; without one, the defaults of the interface. */
export function editingOf(vault?: SharedVault): VaultEditing {
  const typed = {
    vaultname: vault?.groupname ?? '',
    description: vault?.description ?? '',
    policy: vault?.policy ?? usualPolicy,
    history: vault?.history ?? defaultHistory,
  }
  return { before: typed, typed }
}

export const vaultTyping = new TypingForm<VaultEditing>()

/** What the person changed, with trimmed texts. */
export function changesOf({ before, typed }: VaultEditing): Partial<TypedVault> {
  const { vaultname, description, ...chosen } = changed(typed, before)
  return {
    ...chosen,
    ...(vaultname !== undefined && { vaultname: vaultname.trim() }),
    ...(description !== undefined && { description: description.trim() }),
  }
}
