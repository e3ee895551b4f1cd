import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { detailsAsked, keyRules, keyRulesShown, type DetailSources } from './key-details.ts'
import { keyItem, oneKey, versionItem, versionSchema } from './key-item.ts'
import { keyNames, keyParams, latestVersion } from './key-parameters.ts'

/** `GET /transparent/:vaultid/keys/:name` (spec: Read key): the properties of a key, never its material. */
export const readKey = (keyring: Keyring, sources: DetailSources) =>
  endpoint({
    operation: 'transparent.key.read',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Read what is known of a key',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.read',
    faults: ['key.not_found', 'key.tampered'],
    reply: {
      callinfo: z.object({ version: latestVersion, objectid: keyNames.objectid, ...keyRulesShown }),
      members: z.object({
        KEYS: oneKey,
        VERSIONS: z.array(versionSchema).describe('Its versions that were not trimmed, the oldest first.'),
      }),
    },
    params: keyParams,
    body: z.object({ details: detailsAsked }),
    async run({ body, vault, resource }) {
      const { key, versions } = await keyring.read(resource)
      return {
        callinfo: {
          version: String(key.latestVersion),
          objectid: String(key.id),
          ...(body.details ? await keyRules(sources, vault.id) : {}),
        },
        members: { KEYS: [keyItem(key)], VERSIONS: versions.map(versionItem(key.type)) },
      }
    },
  })
