import { z } from 'zod'
import { endpoint, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyItem, keySchema } from './key-item.ts'

const pageSize = 1_000

/** `LIST /transparent/:vaultid/keys`, and GET for HTTP/1.1, which knows no LIST: in pages of 1,000, by name. */
export const listKeys = (keyring: Keyring, method: 'LIST' | 'GET') =>
  endpoint({
    operation: 'transparent.key.list',
    handler: 'EncryptionHandler',
    method,
    path: '/transparent/:vaultid/keys',
    summary: 'List the keys of a vault',
    access: { kind: 'vault', permission: 'Read' },
    success: 200,
    faults: ['key.tampered'],
    reply: { members: z.object({ KEYS: z.array(keySchema) }) },
    params: z.object({ [vaultParameter]: z.string() }),
    body: z.object({ after: z.string().max(128, 'must have 128 characters at most').default('') }),
    async run({ body, vault }) {
      const keys = await keyring.list(vault.id, body.after, pageSize)
      return { members: { KEYS: keys.map(keyItem) } }
    },
  })
