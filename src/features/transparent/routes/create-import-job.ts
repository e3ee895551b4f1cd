import { z } from 'zod'
import { base64, moment, pem } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { publicKeyPem } from '../../../encoding/pem.ts'
import type { ImportJobs } from '../import-jobs.ts'
import { keyQuery } from '../records.ts'
import { newKeyMembers, newKeyOf, type KeyDefaults } from './create-key.ts'
import { keyNames, keyParams } from './key-parameters.ts'

/**
 * `POST /transparent/import_job/:vaultid/:name`: fixes the properties of a key that is to be imported, and makes the
 * public key to wrap it to (RSA-OAEP with SHA-1, then AES-KWP).
 */
export const createImportJob = (importJobs: ImportJobs, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.import.job',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/import_job/:vaultid/:name',
    summary: 'Prepare the import of a key that was made elsewhere',
    details:
      'Wrap the key to the public key of the job: RSA-OAEP with SHA-1 of an AES key, then AES-KWP (RFC 5649) of the key, one after the other. Check the signature first, so that no third party gets the key.',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.exists', 'key.type_unknown', 'key.flag_off', 'key.residency', 'hsm.unsupported'],
    reply: {
      callinfo: z.object({
        name: keyNames.name,
        job: z.string().describe('Id of the job, for the call that imports. Good for one import of this key.'),
        public_key: pem('RSA public key to wrap the key to.'),
        public_key_der: base64('The same as DER SubjectPublicKeyInfo.'),
        statement: z
          .string()
          .meta({ contentMediaType: 'application/json' })
          .describe('All that the job fixes, and its public key: JSON, as it was signed.'),
        signature: base64('Signature of the statement by the audit key: ECDSA over SHA-256, DER.'),
        signer: pem('The audit key: compare it with the one that the operator gave you.'),
        expires: moment('When the job ends.'),
      }),
    },
    params: keyParams,
    body: z.object(newKeyMembers(defaults)),
    quota: 'rsaKeys',
    async run({ params, body, vault, resource, commit }) {
      if (resource) throw new Fault('key.exists')
      const key = newKeyOf({ vaultId: vault.id, name: params.name }, body, defaults)
      const { id, name, publicKey, expiresAt, statement, signature, signer } = await importJobs.create(
        vault,
        key,
        commit,
      )
      return {
        callinfo: {
          name,
          job: id,
          public_key: publicKeyPem(publicKey),
          public_key_der: publicKey.toString('base64'),
          statement,
          signature: signature.toString('base64'),
          signer: publicKeyPem(signer),
          expires: new Date(expiresAt).toISOString(),
        },
      }
    },
  })
