import { z } from 'zod'
import { vaultSegment } from '../../../http/contract/shared-fields.ts'
import { endpoint, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { VaultAccess } from '../../../access/caller.ts'
import { allows, scopeOf } from '../../../access/scope.ts'
import type { Keyring } from '../keyring.ts'
import { keyItem, keySchema } from './key-item.ts'

const pageSize = 1_000

/** A narrowed member sees those keys alone that the grants let the member read. */
const isShownTo =
  ({ grants }: VaultAccess) =>
  (name: string): boolean =>
    grants === null || allows(scopeOf(grants), 'key.read', { name })

/** `LIST /transparent/:vaultid/keys`, and GET for HTTP/1.1, which knows no LIST: in pages of 1,000, by name. */
export const listKeys = (keyring: Keyring, method: 'LIST' | 'GET') =>
  endpoint({
    operation: 'transparent.key.list',
    handler: 'EncryptionHandler',
    method,
    path: '/transparent/:vaultid/keys',
    summary: 'List the keys of a vault',
    details: 'In pages of 1,000: the last page has fewer.',
    access: { kind: 'vault', permission: 'Read' },
    grant: 'key.read',
    success: 200,
    faults: ['key.tampered'],
    reply: { members: z.object({ KEYS: z.array(keySchema).max(pageSize).describe('The keys, by their names.') }) },
    params: z.object({ [vaultParameter]: vaultSegment() }),
    body: z.object({
      after: z
        .string()
        .max(128, 'must have 128 characters at most')
        .describe('Name after which the page begins: the last one of the page before. The first page when absent.')
        .default(''),
    }),
    async run({ body, vault }) {
      const keys = await keyring.list(vault.id, { after: body.after, most: pageSize, isShown: isShownTo(vault) })
      return { members: { KEYS: keys.map(keyItem) } }
    },
  })
