import type { Hsm } from '../../hsm/hsm.ts'
import type { Invocations } from './invocations.ts'
import { checkAad, cipherOf, keyTypeOf } from './key-type.ts'
import { existing, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { StoredKey, TransparentKey } from './records.ts'
import { keyReference, trusting } from './sealing.ts'

export interface DataKeyRequest {
  readonly bytes: number
  /** The latest when undefined. */
  readonly version: number | undefined
  readonly aad: Buffer | undefined
  /** Whether the caller is shown the key in plain, as he asked. */
  readonly open: boolean
}

export interface DataKey {
  readonly key: TransparentKey
  readonly version: number
  readonly sealedText: Buffer
  /** Only where it was asked for; the caller zeroes it. */
  readonly plaintext: Buffer | undefined
}

/** Keys for data that is too large to send: made in the token, handed out encrypted under a named key. */
export interface DataKeys {
  /** @throws Fault `key.not_found`, `key.wrong_type`, `request.invalid`, `key.version_unknown`, `key.version_disabled`, `key.exhausted`, `key.tampered` */
  make(stored: StoredKey | undefined, request: DataKeyRequest): Promise<DataKey>
}

export interface DataKeyDependencies {
  readonly hsm: Pick<Hsm, 'random' | 'encrypt' | 'encryptRandom'>
  readonly keyring: Pick<Keyring, 'rotateIfDue'>
  readonly versions: KeyVersions
  readonly invocations: Invocations
}

export function createDataKeys({ hsm, keyring, versions, invocations }: DataKeyDependencies): DataKeys {
  return {
    async make(stored, { bytes, version, aad, open }) {
      const type = keyTypeOf(existing(stored).key.type)
      cipherOf(type)
      checkAad(type, aad)
      const found = version === undefined ? await keyring.rotateIfDue(existing(stored)) : existing(stored)
      const { key } = found
      const used = await versions.find(found, version ?? key.latestVersion, writableFrom(key), 'encrypts')
      await invocations.spend(key, used.version, 1)
      const reference = keyReference(key, used)
      const names = { key, version: used.version, plaintext: undefined }
      // What the caller does not ask to see is seen by no process of ours but the token host.
      if (!open) return { ...names, sealedText: await trusting(() => hsm.encryptRandom(reference, bytes, aad)) }
      const plaintext = await hsm.random(bytes)
      return { ...names, plaintext, sealedText: await trusting(() => hsm.encrypt(reference, plaintext, aad)) }
    },
  }
}
