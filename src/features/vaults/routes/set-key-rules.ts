import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { vaultParams } from './vault-record.ts'

const permissionName = z.enum(['Read', 'Write', 'Admin'])

/** `PUT /transparent/:vaultid/settings`: changes how the keys of a vault may be created and used. */
export const setKeyRules = (vaults: Vaults) =>
  endpoint({
    operation: 'transparent.settings',
    handler: 'EncryptionHandler',
    method: 'PUT',
    path: '/transparent/:vaultid/settings',
    summary: 'Set how the keys of a vault may be made and used',
    details: 'It changes what is given, leaves the rest, and answers with all.',
    access: { kind: 'vault', permission: 'Admin' },
    reply: {
      callinfo: z.object({
        create_on_encrypt: z.boolean().describe('Whether encrypting with a name that no key has makes the key.'),
        signing_permission: permissionName.describe('Permission that signing needs.'),
        strict: z.boolean().describe('Whether calls with unknown members are refused.'),
      }),
    },
    params: vaultParams,
    body: z.object({
      create_on_encrypt: flag
        .describe('Whether encrypting with a name that no key has makes the key. That is the default of a new vault.')
        .optional(),
      signing_permission: permissionName
        .describe('Permission that signing needs, and those above it. Write in a new vault.')
        .optional(),
      strict: flag
        .optional()
        .describe(
          'Whether calls about this vault that have a member which the interface does not know are refused, and no key is made on first use, whatever `create_on_encrypt` says.',
        ),
    }),
    async run({ body, vault, commit }) {
      const changes = {
        createsKeysOnUse: body.create_on_encrypt,
        signingPermission: body.signing_permission,
        strict: body.strict,
      }
      const settings = await vaults.changeSettings(vault.id, changes, commit)
      return {
        callinfo: {
          create_on_encrypt: settings.createsKeysOnUse,
          signing_permission: settings.signingPermission,
          strict: settings.strict,
        },
      }
    },
  })
