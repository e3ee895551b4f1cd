import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Hash } from '../../../hsm/key-kind.ts'
import type { Vaults } from '../../vaults/vault.ts'
import { readCiphertext, writeCiphertext, type Ciphertext } from '../ciphertext.ts'
import { keyQuery } from '../records.ts'
import type { Signatures, SigningRequest } from '../signatures.ts'
import { base64Member, keyNames, keyParams, keyVersion, namesOf, signatureText, usedVersion } from './key-parameters.ts'

const hashNames: Readonly<Record<string, Hash>> = { 'sha2-256': 'sha256', 'sha2-384': 'sha384', 'sha2-512': 'sha512' }

/** Members of the calls that sign and verify. */
export const signingMembers = {
  input: base64('The data, or its hash where `prehashed` says so.'),
  prehashed: flag.describe('Whether `input` is the hash of the data already.').default(false),
  hash_algorithm: z
    .enum(['sha2-256', 'sha2-384', 'sha2-512'])
    .describe('The hash algorithm. When absent SHA-256, but SHA-384 with `ecdsa-p384` and SHA-512 with `ed25519`.')
    .optional(),
  signature_algorithm: z.enum(['pss', 'pkcs1v15']).describe('Of RSA keys: the padding. `pss` when absent.').optional(),
  marshaling_algorithm: z
    .enum(['asn1', 'jws'])
    .describe('Of ECDSA: how r and s are written, `asn1` as DER or `jws` one after the other (RFC 7518 §3.4).')
    .default('asn1'),
}

type SigningBody = z.output<z.ZodObject<typeof signingMembers>>

/**
 * `POST /transparent/:vaultid/sign/:name`: signs with a named key; the vault says which permission that needs
 * (`signing_permission`).
 */
export const sign = (signatures: Signatures, vaults: Vaults) =>
  endpoint({
    operation: 'transparent.sign',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/sign/:name',
    summary: 'Sign data with a named key',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.sign',
    demanding: [
      {
        what: 'Signing',
        permission: {
          setting: 'signing_permission',
          usual: 'Write',
          of: async (vaultId) => (await vaults.settings(vaultId)).signingPermission,
        },
        isScoped: true,
        isAsked: () => true,
      },
    ],
    faults: ['key.not_found', 'key.wrong_type', 'key.version_unknown', 'key.version_disabled', 'key.tampered'],
    reply: { callinfo: z.object({ ...keyNames, key_version: usedVersion, signature: signatureText('The signature') }) },
    params: keyParams,
    body: z.object({ ...signingMembers, key_version: keyVersion.optional() }),
    async run({ body, vault, resource, note }) {
      const { key, version, bytes } = await signatures.sign(vault, resource, body.key_version, readSigning(body))
      note({ keyVersion: version })
      return {
        callinfo: {
          signature: writeCiphertext({ version, bytes }),
          key_version: String(version),
          ...namesOf(key),
        },
      }
    },
  })

/** @throws Fault `request.invalid` */
export function readSigning(body: SigningBody): SigningRequest {
  return {
    input: base64Member('input', body.input),
    prehashed: body.prehashed,
    hash: body.hash_algorithm && hashNames[body.hash_algorithm],
    padding: body.signature_algorithm,
    form: body.marshaling_algorithm === 'jws' ? 'raw' : 'asn1',
  }
}

/**
 * A signature or HMAC has the form of a ciphertext: the version that made it, and base64.
 * @throws Fault `signature.malformed`
 */
export function readSignature(text: string): Ciphertext {
  try {
    return readCiphertext(text)
  } catch (error) {
    throw error instanceof Fault
      ? new Fault(
          'signature.malformed',
          'A signature or HMAC begins with service:v and its key version, for example service:v1:.',
        )
      : error
  }
}
