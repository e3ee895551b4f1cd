import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { includes } from '../../../access/permission.ts'
import { Fault } from '../../../fault.ts'
import type { Vaults } from '../../vaults/vault.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { keySubject } from '../records.ts'
import type { Signatures } from '../signatures.ts'
import { keyNames, keyParams, keyVersion } from './parameters.ts'
import { readSigning, signingMembers } from './signing.ts'

/** `POST /transparent/:vaultid/sign/:name`: signs with a named key; the vault says who may (`signing_permission`). */
export const sign = (signatures: Signatures, vaults: Vaults) =>
  endpoint({
    operation: 'transparent.sign',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/sign/:name',
    summary: 'Sign data with a named key',
    access: { kind: 'vault', permission: 'Read', resource: keySubject },
    success: 200,
    faults: [
      'access.permission',
      'key.not_found',
      'key.wrong_type',
      'key.version_unknown',
      'key.version_disabled',
      'key.tampered',
    ],
    reply: { callinfo: z.object({ ...keyNames, key_version: z.string(), signature: z.string() }) },
    params: keyParams,
    body: z.object({ ...signingMembers, key_version: keyVersion.optional() }),
    async run({ body, vault, resource, note }) {
      const { signingPermission } = await vaults.settings(vault.id)
      if (!includes(vault.permission, signingPermission))
        throw new Fault(
          'access.permission',
          `Signing needs ${signingPermission} in this vault; you have ${vault.permission}.`,
        )
      const { key, version, bytes } = await signatures.sign(resource, body.key_version, readSigning(body))
      note({ keyVersion: version })
      return {
        callinfo: {
          signature: writeCiphertext(version, bytes),
          key_version: String(version),
          name: key.name,
          objectid: String(key.id),
        },
      }
    },
  })
