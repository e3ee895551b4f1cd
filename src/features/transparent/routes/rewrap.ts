import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { batchOf, mapEach, onlyResult } from '../batch.ts'
import type { Ciphers, RewrapItem } from '../ciphers.ts'
import { existing } from '../key-versions.ts'
import { keyQuery } from '../records.ts'
import { batchInput, batchResults, itemsOf, replyOf, oneOrMany } from './batch-input.ts'
import { missingCiphertext, readCipherItem } from './decrypt.ts'
import { encryptedItem, writeItem } from './encrypt.ts'
import { aadField, ciphertextField, keyNames, keyParams, keyVersion, namesOf } from './key-parameters.ts'

const item = {
  ciphertext: ciphertextField,
  aad: aadField
    .describe(
      'Additional authenticated data as it was when the ciphertext was made; the new one is bound to the same. Base64 with padding.',
    )
    .optional(),
  to_version: keyVersion.describe('Version of the key to encrypt with: the latest when absent.').optional(),
}

/**
 * `POST /transparent/rewrap/:vaultid/:name`: encrypts a ciphertext again under the latest version, or `to_version`,
 * without revealing the plaintext.
 */
export const rewrap = (ciphers: Ciphers) =>
  endpoint({
    operation: 'transparent.rewrap',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/rewrap/:vaultid/:name',
    summary: 'Encrypt a ciphertext again under another version of its key',
    details:
      'The plaintext does not leave the boundary of the token. After a rotation it brings stored ciphertexts to the new version.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.rewrap',
    faults: [
      'key.not_found',
      'key.wrong_type',
      'ciphertext.malformed',
      'ciphertext.invalid',
      'key.version_unknown',
      'key.version_disabled',
      'key.exhausted',
      'key.tampered',
    ],
    reply: { callinfo: replyOf(keyNames, encryptedItem, encryptedItem) },
    params: keyParams,
    body: z
      .object({ ...item, ciphertext: ciphertextField.optional(), batch_input: batchInput(item) })
      .meta(oneOrMany('ciphertext')),
    async run({ body, vault, resource, note }) {
      const { key } = existing(resource)
      if (body.batch_input) note({ target: `${body.batch_input.length} items` })
      const items = itemsOf(body, body.batch_input, item, () => ({
        ...body,
        ciphertext: body.ciphertext ?? missingCiphertext(),
      }))
      const read = mapEach(batchOf(items), (one): RewrapItem => ({ ...readCipherItem(one), toVersion: one.to_version }))
      const { results } = await ciphers.rewrap(vault, resource, read)
      const names = namesOf(key)
      if (body.batch_input)
        return { callinfo: { ...names, batch_results: batchResults(body.batch_input, results, writeItem) } }
      const rewrapped = onlyResult(results)
      note({ keyVersion: rewrapped.version })
      return { callinfo: { ...writeItem(rewrapped), ...names } }
    },
  })
