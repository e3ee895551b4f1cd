import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { readCiphertext } from '../ciphertext.ts'
import type { Keyring } from '../keyring.ts'
import { keySubject } from '../records.ts'
import { keyParams } from './parameters.ts'

/** `POST /transparent/:vaultid/decrypt/:name` (spec: Decrypt data). */
export const decrypt = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.decrypt',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/decrypt/:name',
    summary: 'Decrypt what a named key has encrypted',
    access: { kind: 'vault', permission: 'Read', subject: keySubject },
    success: 200,
    params: keyParams,
    body: z.object({ ciphertext: z.string() }),
    async run({ body, subject, note }) {
      const ciphertext = readCiphertext(body.ciphertext)
      note({ keyVersion: ciphertext.version })
      const { key, plaintext } = await keyring.decrypt(subject, ciphertext)
      return {
        callinfo: {
          plaintext: plaintext.toString('base64'),
          key_version: String(ciphertext.version),
          name: key.name,
          objectid: String(key.id),
        },
      }
    },
  })
