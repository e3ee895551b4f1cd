import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { CipherItem, Ciphers } from '../ciphers.ts'
import { readCiphertext } from '../ciphertext.ts'
import { keySubject } from '../records.ts'
import { existing } from '../key-versions.ts'
import { batchOf, batchResults, checkBeside, readEach, replyOf, runEach, single } from './batch.ts'
import { keyNames, keyParams, optionalBytesOf } from './parameters.ts'

const item = { ciphertext: z.string(), aad: z.string().optional() }

const opened = { plaintext: z.string().describe('base64') }

/** `POST /transparent/:vaultid/decrypt/:name` (spec: Decrypt data); `batch_input` in place of `ciphertext` for many at once. */
export const decrypt = (ciphers: Ciphers) =>
  endpoint({
    operation: 'transparent.decrypt',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/decrypt/:name',
    summary: 'Decrypt what a named key has encrypted',
    access: { kind: 'vault', permission: 'Read', resource: keySubject },
    success: 200,
    faults: [
      'key.not_found',
      'key.wrong_type',
      'ciphertext.malformed',
      'ciphertext.invalid',
      'key.version_unknown',
      'key.version_disabled',
      'key.tampered',
    ],
    reply: { callinfo: replyOf(keyNames, { ...opened, key_version: z.string() }, opened) },
    params: keyParams,
    body: z.object({ ...item, ciphertext: z.string().optional(), batch_input: batchOf(item) }),
    async run({ body, resource, note }) {
      const { key } = existing(resource)
      if (body.batch_input) note({ target: `${body.batch_input.length} items` })
      checkBeside(body, item)
      const items = body.batch_input ?? [{ ...body, ciphertext: body.ciphertext ?? missing() }]
      const read = readEach(items, readCipherItem)
      const versions = read.map((one) => ('value' in one ? one.value.ciphertext.version : undefined))
      if (items.length === 1 && versions[0] !== undefined) note({ keyVersion: versions[0] })
      const results = await runEach(read, async (ready) => (await ciphers.decrypt(resource, ready)).results)
      const names = { name: key.name, objectid: String(key.id) }
      if (body.batch_input)
        return {
          callinfo: {
            ...names,
            batch_results: batchResults(body.batch_input, results, (plaintext) => ({
              plaintext: plaintext.toString('base64'),
            })),
          },
        }
      return { callinfo: { plaintext: single(results).toString('base64'), key_version: String(versions[0]), ...names } }
    },
  })

export function readCipherItem({ ciphertext, aad }: { ciphertext: string; aad?: string | undefined }): CipherItem {
  return { ciphertext: readCiphertext(ciphertext), aad: optionalBytesOf('aad', aad) }
}

function missing(): never {
  throw new Fault('request.invalid', 'ciphertext is missing: send it, or batch_input with many.')
}
