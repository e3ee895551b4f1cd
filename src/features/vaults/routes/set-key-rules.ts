import { z } from 'zod'
import { endpoint, vaultParameter, flag } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'

/** `PUT /transparent/:vaultid/settings`: how the keys of a vault may be made and used. */
export const setKeyRules = (vaults: Vaults) =>
  endpoint({
    operation: 'transparent.settings',
    handler: 'EncryptionHandler',
    method: 'PUT',
    path: '/transparent/:vaultid/settings',
    summary: 'Say how the keys of a vault may be made and used',
    access: { kind: 'vault', permission: 'Admin' },
    success: 200,
    reply: {
      callinfo: z.object({ create_on_encrypt: z.boolean(), signing_permission: z.enum(['Read', 'Write', 'Admin']) }),
    },
    params: z.object({ [vaultParameter]: z.string() }),
    body: z.object({
      create_on_encrypt: flag.optional(),
      signing_permission: z.enum(['Read', 'Write', 'Admin']).optional(),
    }),
    async run({ body, vault, commit }) {
      const changes = { createsKeysOnUse: body.create_on_encrypt, signingPermission: body.signing_permission }
      const settings = await vaults.changeSettings(vault.id, changes, commit)
      return {
        callinfo: { create_on_encrypt: settings.createsKeysOnUse, signing_permission: settings.signingPermission },
      }
    },
  })
