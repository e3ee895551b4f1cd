import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Ciphers, Encrypted, RewrapRequest } from '../ciphers.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { existing } from '../key-versions.ts'
import { keySubject } from '../records.ts'
import { batchOf, batchResults, checkBeside, readEach, replyOf, runEach, single } from './batch.ts'
import { readCipherItem } from './decrypt.ts'
import { keyNames, keyParams, keyVersion } from './parameters.ts'

const item = { ciphertext: z.string(), aad: z.string().optional(), to_version: keyVersion.optional() }

const sealed = { key_version: z.string(), ciphertext: z.string() }

/** `POST /transparent/rewrap/:vaultid/:name`: encrypts anew under the latest version, or `to_version`, without showing the plaintext. */
export const rewrap = (ciphers: Ciphers) =>
  endpoint({
    operation: 'transparent.rewrap',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/rewrap/:vaultid/:name',
    summary: 'Encrypt a ciphertext anew under another version of its key',
    access: { kind: 'vault', permission: 'Read', resource: keySubject },
    success: 200,
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
    reply: { callinfo: replyOf(keyNames, sealed, sealed) },
    params: keyParams,
    body: z.object({ ...item, ciphertext: z.string().optional(), batch_input: batchOf(item) }),
    async run({ body, resource, note }) {
      const { key } = existing(resource)
      if (body.batch_input) note({ target: `${body.batch_input.length} items` })
      checkBeside(body, item)
      const items = body.batch_input ?? [{ ...body, ciphertext: body.ciphertext ?? missing() }]
      const read = readEach(items, (one): RewrapRequest => ({ ...readCipherItem(one), toVersion: one.to_version }))
      const results = await runEach(read, async (ready) => (await ciphers.rewrap(resource, ready)).results)
      const names = { name: key.name, objectid: String(key.id) }
      if (body.batch_input)
        return { callinfo: { ...names, batch_results: batchResults(body.batch_input, results, write) } }
      const rewrapped = single(results)
      note({ keyVersion: rewrapped.version })
      return { callinfo: { ...write(rewrapped), ...names } }
    },
  })

function write({ version, sealedText }: Encrypted): Record<string, string> {
  return { key_version: String(version), ciphertext: writeCiphertext(version, sealedText) }
}

function missing(): never {
  throw new Fault('request.invalid', 'ciphertext is missing: send it, or batch_input with many.')
}
