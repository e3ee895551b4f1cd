import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { keyQuery } from '../records.ts'
import type { KeyBackups } from '../key-backups.ts'
import { keyNames, keyParams, latestVersion } from './key-parameters.ts'

/**
 * `GET /transparent/backup/:vaultid/:name`: a backup of a key with all its versions and flags, which appliances with
 * the same backup keys can restore.
 */
export const backUpKey = (backups: KeyBackups, maxBodyBytes: number) =>
  endpoint({
    operation: 'transparent.backup',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/backup/:vaultid/:name',
    summary: 'Back up a key',
    details: 'With all its versions and flags. It can be restored on appliances that have the same backup keys.',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    faults: ['key.not_found', 'key.backup_forbidden', 'key.tampered'],
    reply: {
      callinfo: z.object({ ...keyNames, version: latestVersion }),
      members: z.object({
        KEYS: z
          .object({ backup: base64('The backup: encrypted, for the call that restores it.') })
          .describe('What was backed up.'),
      }),
    },
    params: keyParams,
    async run({ vault, resource }) {
      const { key, text } = await backups.backup(vault, resource)
      return {
        callinfo: { name: key.name, version: String(key.latestVersion), objectid: String(key.id) },
        members: { KEYS: { backup: text } },
        general: text.length + restoreBytes > maxBodyBytes ? [tooLongNotice(maxBodyBytes)] : [],
      }
    },
  })

/** Bytes that the body of a restoration has at most besides the backup: braces, names, session token and `force`. */
const restoreBytes = 128

const tooLongNotice = (maxBodyBytes: number): string =>
  `This backup is longer than the ${maxBodyBytes} bytes of a body that this appliance takes: have the operator raise http.maxBodyBytes before it is restored here, or trim the key's versions and back it up again.`
