import { expect, it } from 'vitest'
import { Fault } from '../../../src/fault.ts'
import type { KeyVersion, StoredKey, TransparentKey } from '../../../src/features/transparent/records.ts'
import { createSignatures } from '../../../src/features/transparent/signatures.ts'

const broken = () => Promise.reject(new Fault('hsm.seal_broken', 'The rows of this session were altered.'))
const key = { type: 'ecdsa-p256', deletedAt: null, minEncryptionVersion: 1, minDecryptionVersion: 1, latestVersion: 1 }
const stored = (type: string) => ({ key: { ...key, type }, latest: { version: 1 } }) as unknown as StoredKey

/** Of a token that nothing is asked of. */
const signatures = createSignatures({
  store: { read: {} as never },
  hsm: { sign: broken, verifySignature: broken, hmac: broken, verifyHmac: broken },
  keyring: { rotateIfDue: (found) => Promise.resolve(found) },
  versions: { find: () => Promise.resolve({ version: 1 } as KeyVersion) },
  vaultKeys: { referencesOf: (_key: TransparentKey, grant) => Promise.resolve(() => ({ key: grant })) },
})
const request = { input: Buffer.alloc(1), prehashed: false, hash: undefined, padding: undefined, form: 'raw' } as const
const [caller, key256, mac] = [{ grant: broken }, stored('ecdsa-p256'), stored('hmac-sha256')]

const uses: Readonly<Record<string, () => Promise<unknown>>> = {
  sign: () => signatures.sign(caller, key256, undefined, request),
  verify: () => signatures.verify(caller, key256, request, { version: 1, bytes: Buffer.alloc(64) }),
  hmac: () => signatures.hmac(caller, mac, undefined, request.input),
  verifyHmac: () => signatures.verifyHmac(caller, mac, request.input, { version: 1, bytes: Buffer.alloc(32) }),
}

it.each(Object.entries(uses))('%s: a session that was altered is not taken for an altered key', async (_name, use) => {
  await expect(use()).rejects.toMatchObject({ code: 'hsm.seal_broken' })
})
