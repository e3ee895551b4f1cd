import { z } from 'zod'
import { moment, vaultSegment } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { VaultAccess } from '../../../access/caller.ts'
import { allows } from '../../../access/scope.ts'
import type { Keyring } from '../keyring.ts'
import type { StoredKey } from '../records.ts'
import { detailsAsked, keyRules, keyRulesShown, type DetailSources } from './key-details.ts'
import { keyItem, keySchema, latestFields, latestItem } from './key-item.ts'

const pageSize = 1_000

/** A narrowed member sees only the keys that the scope lets the member read. */
const isShownTo =
  ({ scope }: VaultAccess) =>
  (name: string): boolean =>
    scope === null || allows(scope, 'key.read', { name })

const listedKey = keySchema.extend({
  ...latestFields,
  deleted: moment('Of a deleted key: when that was.').optional(),
  destroyed: moment('Of a deleted key: until when it can be taken back.').optional(),
})

/** `LIST /transparent/:vaultid/keys`, and GET for clients without the method LIST: by name, in pages of 1,000. */
export const listKeys = (keyring: Keyring, sources: DetailSources, method: 'LIST' | 'GET') =>
  endpoint({
    operation: 'transparent.key.list',
    handler: 'EncryptionHandler',
    method,
    path: '/transparent/:vaultid/keys',
    summary: 'List the keys of a vault',
    details: 'In pages of 1,000: the last page has fewer.',
    access: { kind: 'vault', permission: 'Read' },
    scopedUse: 'key.read',
    demanding: [{ what: 'Listing deleted keys', permission: 'Admin', isAsked: ({ body }) => body.deleted }],
    faults: ['key.tampered'],
    reply: {
      callinfo: z.object(keyRulesShown),
      members: z.object({ KEYS: z.array(listedKey).max(pageSize).describe('The keys, by their names.') }),
    },
    params: z.object({ [vaultParameter]: vaultSegment() }),
    body: z.object({
      after: z
        .string()
        .max(128, 'must have 128 characters at most')
        .describe('Name after which the page begins: the last one of the page before. The first page when absent.')
        .default(''),
      details: detailsAsked,
      deleted: flag.describe('Whether to list the deleted keys that can still be taken back.').default(false),
    }),
    async run({ body: { after, details, deleted }, vault }) {
      const keys = await keyring.list(vault.id, {
        after,
        most: pageSize,
        isShown: isShownTo(vault),
        isDeleted: deleted,
        isLatestShown: details,
      })
      const item = (stored: StoredKey): Record<string, string> => ({
        ...keyItem(stored.key),
        ...(details ? latestItem(stored) : {}),
        ...endOf(stored, sources.deletion.recoveryWindowMs),
      })
      return { callinfo: details ? await keyRules(sources, vault.id) : {}, members: { KEYS: keys.map(item) } }
    },
  })

const endOf = ({ key: { deletedAt } }: StoredKey, recoveryWindowMs: number): Record<string, string> =>
  deletedAt === null
    ? {}
    : {
        deleted: new Date(deletedAt).toISOString(),
        destroyed: new Date(deletedAt + recoveryWindowMs).toISOString(),
      }
