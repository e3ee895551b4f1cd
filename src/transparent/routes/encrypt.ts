import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { Fault } from '../../fault.ts'
import { decodeBase64 } from '../base64.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { defaultKeyType } from '../key-type.ts'
import type { Keyring } from '../keyring.ts'
import { keySubject } from '../records.ts'
import type { KeyDefaults } from './create-key.ts'
import { keyParams, keyTypeNamed, keyVersion } from './parameters.ts'

/** `POST /transparent/:vaultid/encrypt/:name` (spec: Encrypt data). */
export const encrypt = (keyring: Keyring, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.encrypt',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/encrypt/:name',
    summary: 'Encrypt data with a named key',
    access: { kind: 'vault', permission: 'Read', subject: keySubject },
    success: 201,
    params: keyParams,
    body: z.object({
      plaintext: z.string(),
      type: z.string().default(defaultKeyType),
      key_version: keyVersion.optional(),
    }),
    async run({ params, body, vault, subject, note, commit }) {
      const plaintext = decodeBase64(body.plaintext)
      if (plaintext === undefined) throw new Fault('request.invalid', 'plaintext must be base64 with padding.')
      const ifAbsent = { vaultId: vault.id, name: params.name, type: keyTypeNamed(body.type), info: '', ...defaults }
      const { key, version, sealedText } = await keyring.encrypt(
        { vault, stored: subject, ifAbsent, version: body.key_version, plaintext },
        commit,
      )
      note({ keyVersion: version })
      return {
        callinfo: {
          key_version: String(version),
          ciphertext: writeCiphertext(version, sealedText),
          name: key.name,
          objectid: String(key.id),
          type: key.type,
        },
      }
    },
  })
