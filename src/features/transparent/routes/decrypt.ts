import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { batchOf, mapEach, onlyResult, readyIn } from '../batch.ts'
import type { CipherItem, Ciphers } from '../ciphers.ts'
import { readCiphertext } from '../ciphertext.ts'
import { keyQuery } from '../records.ts'
import { existing } from '../key-versions.ts'
import { batchInput, batchResults, itemsOf, replyOf, oneOrMany } from './batch-input.ts'
import {
  aadField,
  ciphertextField,
  keyNames,
  keyParams,
  namesOf,
  optionalBase64Member,
  usedVersion,
} from './key-parameters.ts'

const item = {
  ciphertext: ciphertextField,
  aad: aadField
    .describe('Additional authenticated data as it was when the ciphertext was made. Base64 with padding.')
    .optional(),
}

const opened = { plaintext: base64('The data.') }

/**
 * `POST /transparent/:vaultid/decrypt/:name` (spec: Decrypt data); `batch_input` in place of `ciphertext` for many at
 * once.
 */
export const decrypt = (ciphers: Ciphers) =>
  endpoint({
    operation: 'transparent.decrypt',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/decrypt/:name',
    summary: 'Decrypt what a named key has encrypted',
    details:
      'The ciphertext says which version of the key made it. `batch_input` in place of `ciphertext` decrypts many at once: faults then stand with the items, and the status is that of a success.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.decrypt',
    faults: [
      'key.not_found',
      'key.wrong_type',
      'ciphertext.malformed',
      'ciphertext.invalid',
      'key.version_unknown',
      'key.version_disabled',
      'key.tampered',
    ],
    reply: { callinfo: replyOf(keyNames, { ...opened, key_version: usedVersion }, opened) },
    params: keyParams,
    body: z
      .object({ ...item, ciphertext: ciphertextField.optional(), batch_input: batchInput(item) })
      .meta(oneOrMany('ciphertext')),
    async run({ body, vault, resource, note }) {
      const { key } = existing(resource)
      if (body.batch_input) note({ target: `${body.batch_input.length} items` })
      const { aad } = body
      const items = itemsOf(body, body.batch_input, item, () => ({
        ciphertext: body.ciphertext ?? missingCiphertext(),
        aad,
      }))
      const read = mapEach(batchOf(items), readCipherItem)
      const version = readyIn(read)[0]?.ciphertext.version
      if (items.length === 1 && version !== undefined) note({ keyVersion: version })
      const { results } = await ciphers.decrypt(vault, resource, read)
      const names = namesOf(key)
      if (body.batch_input)
        return {
          callinfo: {
            ...names,
            batch_results: batchResults(body.batch_input, results, (plaintext) => ({
              plaintext: plaintext.toString('base64'),
            })),
          },
        }
      return { callinfo: { plaintext: onlyResult(results).toString('base64'), key_version: String(version), ...names } }
    },
  })

export function readCipherItem({ ciphertext, aad }: { ciphertext: string; aad?: string | undefined }): CipherItem {
  return { ciphertext: readCiphertext(ciphertext), aad: optionalBase64Member('aad', aad) }
}

/** @throws Fault `request.invalid` */
export function missingCiphertext(): never {
  throw new Fault('request.invalid', 'ciphertext is missing: send it, or batch_input with many.')
}
