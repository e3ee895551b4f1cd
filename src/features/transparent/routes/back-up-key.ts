import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { keyQuery } from '../records.ts'
import type { Transfers } from '../transfers.ts'
import { keyNames, keyParams } from './key-parameters.ts'

/**
 * `GET /transparent/backup/:vaultid/:name`: a key with all its versions and flags, restorable where the same backup
 * keys are.
 */
export const backUpKey = (transfers: Transfers) =>
  endpoint({
    operation: 'transparent.backup',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/backup/:vaultid/:name',
    summary: 'Back up a key',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    success: 200,
    faults: ['key.not_found', 'key.backup_forbidden', 'key.tampered'],
    reply: {
      callinfo: z.object({ ...keyNames, version: z.string() }),
      members: z.object({ KEYS: z.object({ backup: z.string().describe('base64') }) }),
    },
    params: keyParams,
    body: z.object({}),
    async run({ vault, resource }) {
      const { key, text } = await transfers.backup(vault, resource)
      return {
        callinfo: { name: key.name, version: String(key.latestVersion), objectid: String(key.id) },
        members: { KEYS: { backup: text } },
      }
    },
  })
