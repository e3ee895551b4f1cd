import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { BackupOrigin } from '../../../hsm/key-backup-record.ts'
import { keyQuery } from '../records.ts'
import type { KeyBackups } from '../key-backups.ts'
import { base64Member, keyNames, keyParams, latestVersion } from './key-parameters.ts'

/**
 * `POST /transparent/restore/:vaultid/:name` (spec: Restore key). `force` replaces a key of that name and needs Admin.
 * A backup of another vault needs Admin there as well.
 */
export const restoreKey = (backups: KeyBackups) =>
  endpoint({
    operation: 'transparent.restore',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/restore/:vaultid/:name',
    summary: 'Restore a key with all its versions from its backup',
    details: 'Into the vault of the path, under the name of the path. A backup of another vault needs Admin there too.',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    demanding: [{ what: '`force`', permission: 'Admin', isAsked: ({ body }) => body.force }],
    faults: ['backup.invalid', 'backup.foreign', 'key.exists', 'key.delete_forbidden', 'key.tampered'],
    reply: { callinfo: z.object({ ...keyNames, key_version: latestVersion }) },
    params: keyParams,
    body: z.object({
      backup: base64('`KEYS.backup` of the call that backed the key up.'),
      force: flag.describe('Whether to replace a key of this name.').default(false),
    }),
    quota: 'keys',
    async run({ params, body, vault, resource, caller, note, commit }) {
      const restoration = {
        vaultId: vault.id,
        userId: caller.userId,
        name: params.name,
        stored: resource,
        backup: base64Member('backup', body.backup),
        force: body.force,
        grantIn: vault.grantIn,
        noteOrigin: (origin: BackupOrigin | undefined) =>
          note({
            target: origin ? `backup of vault ${origin.vault} of appliance ${origin.appliance}` : 'backup of format 1',
          }),
      }
      const key = await backups.restore(vault, restoration, commit)
      return { callinfo: { name: key.name, key_version: String(key.latestVersion), objectid: String(key.id) } }
    },
  })
