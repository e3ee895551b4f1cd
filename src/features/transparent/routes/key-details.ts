import { z } from 'zod'
import { numberText } from '../../../http/contract/shared-fields.ts'
import { flag } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../../vaults/vault.ts'
import type { KeyDeletion } from '../key-deletion.ts'

/** The services that an answer with `details` reads from. */
export interface DetailSources {
  readonly vaults: Pick<Vaults, 'settings'>
  readonly deletion: Pick<KeyDeletion, 'recoveryWindowMs'>
}

export const detailsAsked = flag.describe('Whether to tell more, as a page for people shows it.').default(false)

/** `keyRules`, for the documentation. */
export const keyRulesShown = {
  recovery_window: numberText(
    'Where `details` asks for it: the seconds for which a key can be taken back after it was deleted.',
  ).optional(),
  create_on_encrypt: z.boolean().describe('Likewise: as `transparent.settings` says of the vault.').optional(),
  signing_permission: z.enum(['Read', 'Write', 'Admin']).describe('Likewise.').optional(),
  strict: z.boolean().describe('Likewise.').optional(),
}

/** How the keys of a vault may be created and used. */
export async function keyRules({ vaults, deletion }: DetailSources, vaultId: number) {
  const { createsKeysOnUse, signingPermission, strict } = await vaults.settings(vaultId)
  return {
    recovery_window: String(Math.floor(deletion.recoveryWindowMs / 1_000)),
    create_on_encrypt: createsKeysOnUse,
    signing_permission: signingPermission,
    strict,
  }
}
