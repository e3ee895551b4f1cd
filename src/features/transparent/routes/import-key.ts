import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { ImportJobs } from '../import-jobs.ts'
import { keyQuery } from '../records.ts'
import { base64Member, keyNames, keyParams, namesOf, optionalBase64Member } from './key-parameters.ts'

/**
 * `POST /transparent/import/:vaultid/:name`: imports a key that is wrapped to the public key of an import job, whose
 * properties it gets.
 */
export const importKey = (importJobs: ImportJobs) =>
  endpoint({
    operation: 'transparent.import',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/import/:vaultid/:name',
    summary: 'Import a key that was made elsewhere',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.exists', 'import.no_job', 'import.invalid'],
    reply: { callinfo: z.object(keyNames) },
    params: keyParams,
    body: z.object({
      job: z.string().describe('Id of the import job. The one of this key when absent.').optional(),
      wrapped_key: base64('The key, wrapped to the public key of the job: RSA-OAEP with SHA-1, then AES-KWP.'),
      public_key: base64('Of a pair: its public key, DER SubjectPublicKeyInfo.').optional(),
    }),
    quota: 'keys',
    async run({ params, body, vault, resource, commit }) {
      if (resource) throw new Fault('key.exists')
      const brought = {
        vaultId: vault.id,
        name: params.name,
        job: body.job,
        wrapped: base64Member('wrapped_key', body.wrapped_key),
        publicKey: optionalBase64Member('public_key', body.public_key),
      }
      const key = await importJobs.importKey(vault, brought, commit)
      return { callinfo: namesOf(key) }
    },
  })
