import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { batchOf, mapEach, onlyResult } from '../batch.ts'
import type { Ciphers, PlainItem } from '../ciphers.ts'
import { writeCiphertext, type Ciphertext } from '../ciphertext.ts'
import { defaultKeyType } from '../key-type.ts'
import { keyQuery } from '../records.ts'
import { batchInput, batchResults, itemsOf, replyOf, oneOrMany } from './batch-input.ts'
import { plainKey, type KeyDefaults } from './create-key.ts'
import {
  aadField,
  base64Member,
  ciphertextText,
  keyNames,
  keyParams,
  keyTypeField,
  keyTypeNamed,
  keyTypeText,
  keyVersion,
  optionalBase64Member,
  plaintextField,
  usedVersion,
} from './key-parameters.ts'

const item = { plaintext: plaintextField, aad: aadField.optional(), key_version: keyVersion.optional() }
const body = z
  .object({
    ...item,
    plaintext: plaintextField.optional(),
    type: keyTypeField.default(defaultKeyType),
    batch_input: batchInput(item),
  })
  .meta(oneOrMany('plaintext'))

/** The members of an answer for one encrypted item. */
export const encryptedItem = { key_version: usedVersion, ciphertext: ciphertextText }

/** `objectid` is missing where every item failed and the key was not created. */
const encryptedNames = {
  ...keyNames,
  objectid: z.string().regex(/^\d*$/).describe('Id of the key; empty where it was not made because every item failed.'),
}

/**
 * `POST /transparent/:vaultid/encrypt/:name` (spec: Encrypt data); `batch_input` in place of `plaintext` for many at
 * once.
 */
export const encrypt = (ciphers: Ciphers, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.encrypt',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/encrypt/:name',
    summary: 'Encrypt data with a named key',
    details:
      'A key that is missing is made, of `type`, unless the vault has that turned off. `batch_input` in place of `plaintext` encrypts many at once: faults then stand with the items, and the status is that of a success.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.encrypt',
    demanding: [
      {
        what: 'Making a key that the vault does not have',
        permission: 'Write',
        isAsked: ({ resource }) => resource === undefined,
      },
    ],
    success: 201,
    faults: [
      // A key that was deleted, and one that is missing where the vault makes none on first use.
      'key.not_found',
      'key.type_unknown',
      'hsm.unsupported',
      'key.wrong_type',
      'key.version_unknown',
      'key.version_disabled',
      'key.exhausted',
      'key.tampered',
    ],
    reply: { callinfo: replyOf({ ...encryptedNames, type: keyTypeText }, encryptedItem, encryptedItem) },
    params: keyParams,
    body,
    unechoed: ['plaintext'],
    // The first use of a name creates its key, which counts under the quota for keys.
    quota: ({ resource }) => (resource === undefined ? 'keys' : undefined),
    async run({ params, body, vault, resource, note, commit }) {
      const type = keyTypeNamed(body.type)
      const ifAbsent = () => plainKey({ vaultId: vault.id, name: params.name }, type, defaults)
      const context = { vault, stored: resource, ifAbsent }
      // The audit record of a call that creates the key is written together with the key: its version is 1.
      if (!resource) note({ keyVersion: 1 })
      if (body.batch_input) note({ target: `${body.batch_input.length} items` })
      const { aad, key_version } = body
      const items = itemsOf(body, body.batch_input, item, () => ({
        plaintext: body.plaintext ?? missing(),
        aad,
        key_version,
      }))
      const { key, results } = await ciphers.encrypt(context, mapEach(batchOf(items), readItem), commit)
      const names = { name: params.name, objectid: String(key?.id ?? ''), type: key?.type ?? body.type }
      if (body.batch_input)
        return { callinfo: { ...names, batch_results: batchResults(body.batch_input, results, writeItem) } }
      const encrypted = onlyResult(results)
      note({ keyVersion: encrypted.version })
      return { callinfo: Object.assign(writeItem(encrypted), names) }
    },
  })

function readItem({
  plaintext,
  aad,
  key_version: version,
}: {
  plaintext: string
  aad?: string | undefined
  key_version?: number | undefined
}): PlainItem {
  return { plaintext: base64Member('plaintext', plaintext), aad: optionalBase64Member('aad', aad), version }
}

/** A ciphertext as answers write it, with the key version that made it. */
export function writeItem(ciphertext: Ciphertext): Record<string, string> {
  return { key_version: String(ciphertext.version), ciphertext: writeCiphertext(ciphertext) }
}

function missing(): never {
  throw new Fault('request.invalid', 'plaintext is missing: send it, or batch_input with many.')
}
