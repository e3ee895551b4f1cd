import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { pemOf } from '../../../encoding/pem.ts'
import type { ImportJobs } from '../import-jobs.ts'
import { keyQuery } from '../records.ts'
import { newKeyMembers, newKeyOf, type KeyDefaults } from './create-key.ts'
import { keyParams } from './key-parameters.ts'

/**
 * `POST /transparent/import_job/:vaultid/:name`: fixes what becomes of a key that is to come in, and makes the public key
 * to wrap it to (RSA-OAEP with SHA-1, then AES-KWP).
 */
export const createImportJob = (importJobs: ImportJobs, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.import.job',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/import_job/:vaultid/:name',
    summary: 'Prepare the import of a key that was made elsewhere',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.exists', 'key.type_unknown', 'key.flag_off', 'key.residency', 'hsm.unsupported'],
    reply: {
      callinfo: z.object({
        name: z.string(),
        job: z.string().describe('good for one import of this key'),
        public_key: z.string().describe('PEM'),
        public_key_der: z.string().describe('base64'),
        statement: z.string().describe('all that the job fixes and its public key, as JSON'),
        signature: z.string().describe('of the statement by the audit key: ECDSA over SHA-256, DER in base64'),
        signer: z.string().describe('the audit key, PEM: compare it with the one that the operator gave you'),
        expires: z.iso.datetime(),
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
          public_key: pemOf('PUBLIC KEY', publicKey),
          public_key_der: publicKey.toString('base64'),
          statement,
          signature: signature.toString('base64'),
          signer: pemOf('PUBLIC KEY', signer),
          expires: new Date(expiresAt).toISOString(),
        },
      }
    },
  })
