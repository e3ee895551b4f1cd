import type { Slot } from 'graphene-pk11'
import pkcs11, { type Mechanism, type PKCS11, type Template } from 'pkcs11js'
import { attempt, type Call, TokenFailure } from './failure.ts'
import { calledTogether } from './folder-rights.ts'

/** Handle of an object in the token, valid in the epoch that returned it. */
export type KeyHandle = Buffer

/**
 * A read-write session of the token with the calls that Strongroom uses. All are synchronous: the asynchronous form of
 * pkcs11js does not keep its buffers alive and can encrypt foreign memory. Every method throws TokenFailure.
 */
export interface Pkcs11Session {
  readonly handle: Buffer
  encrypt(mechanism: Mechanism, key: KeyHandle, plaintext: Buffer, output: Buffer): Buffer
  decrypt(mechanism: Mechanism, key: KeyHandle, ciphertext: Buffer, output: Buffer): Buffer
  sign(mechanism: Mechanism, key: KeyHandle, data: Buffer, output: Buffer): Buffer
  /** False for an invalid signature. */
  verify(mechanism: Mechanism, key: KeyHandle, data: Buffer, signature: Buffer): boolean
  wrap(mechanism: Mechanism, wrappingKey: KeyHandle, key: KeyHandle): Buffer
  unwrap(mechanism: Mechanism, wrappingKey: KeyHandle, blob: Buffer, template: Template): KeyHandle
  generate(mechanism: Mechanism, template: Template): KeyHandle
  generatePair(
    mechanism: Mechanism,
    publicTemplate: Template,
    privateTemplate: Template,
  ): { publicKey: KeyHandle; privateKey: KeyHandle }
  create(template: Template): KeyHandle
  copy(object: KeyHandle, template: Template): KeyHandle
  find(template: Template): KeyHandle[]
  /** The attribute values, in the order of `types`. */
  attributes(object: KeyHandle, types: readonly number[]): Buffer[]
  destroy(object: KeyHandle): void
  random(bytes: number): Buffer
  close(): void
}

/** Larger than any wrapped key: the PKCS#8 form of an RSA-4096 key takes some 2,400 bytes. */
const blobLimitBytes = 4096

const findBatch = 256

// pkcs11js passes an empty Buffer as a NULL pointer. SoftHSM2 then returns CKR_ARGUMENTS_BAD and leaves the operation
// of the session active for ever.
const nothing = Buffer.alloc(8).subarray(0, 0)

export function openSession({ lib, handle: slot }: Slot): Pkcs11Session {
  const handle = attempt('session', () => lib.C_OpenSession(slot, pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION))
  const calls = <T>(call: Call, work: () => T): T => attempt(call, () => calledTogether(lib, work))
  return {
    handle,
    encrypt: (mechanism, key, plaintext, output) =>
      calls('encrypt', () => {
        lib.C_EncryptInit(handle, mechanism, key)
        return lib.C_Encrypt(handle, plaintext.length === 0 ? nothing : plaintext, output)
      }),
    decrypt: (mechanism, key, ciphertext, output) =>
      calls('decrypt', () => {
        lib.C_DecryptInit(handle, mechanism, key)
        return lib.C_Decrypt(handle, ciphertext, output)
      }),
    sign: (mechanism, key, data, output) =>
      calls('sign', () => {
        lib.C_SignInit(handle, mechanism, key)
        return lib.C_Sign(handle, data.length === 0 ? nothing : data, output)
      }),
    verify: (mechanism, key, data, signature) =>
      isGood(() =>
        calls('verify', () => {
          lib.C_VerifyInit(handle, mechanism, key)
          return lib.C_Verify(handle, data.length === 0 ? nothing : data, signature)
        }),
      ),
    wrap: (mechanism, wrappingKey, key) =>
      attempt('wrap', () =>
        Buffer.from(lib.C_WrapKey(handle, mechanism, wrappingKey, key, Buffer.alloc(blobLimitBytes))),
      ),
    unwrap: (mechanism, wrappingKey, blob, template) =>
      attempt('unwrap', () => lib.C_UnwrapKey(handle, mechanism, wrappingKey, blob, template)),
    generate: (mechanism, template) => attempt('generate', () => lib.C_GenerateKey(handle, mechanism, template)),
    generatePair: (mechanism, publicTemplate, privateTemplate) =>
      attempt('generate', () => lib.C_GenerateKeyPair(handle, mechanism, publicTemplate, privateTemplate)),
    create: (template) => attempt('object', () => lib.C_CreateObject(handle, template)),
    copy: (object, template) => attempt('object', () => lib.C_CopyObject(handle, object, template)),
    find: (template) => calls('find', () => findAll(lib, handle, template)),
    attributes: (object, types) =>
      attempt('object', () =>
        lib
          .C_GetAttributeValue(
            handle,
            object,
            types.map((type) => ({ type })),
          )
          .map(({ value }) => value),
      ),
    destroy: (object) => attempt('object', () => lib.C_DestroyObject(handle, object)),
    random: (bytes) => attempt('random', () => lib.C_GenerateRandom(handle, Buffer.alloc(bytes))),
    close: () => attempt('session', () => lib.C_CloseSession(handle)),
  }
}

const badSignature: readonly number[] = [pkcs11.CKR_SIGNATURE_INVALID, pkcs11.CKR_SIGNATURE_LEN_RANGE]

function isGood(verify: () => boolean): boolean {
  try {
    return verify()
  } catch (error) {
    if (error instanceof TokenFailure && badSignature.includes(error.code)) return false
    throw error
  }
}

function findAll(lib: PKCS11, session: Buffer, template: Template): KeyHandle[] {
  lib.C_FindObjectsInit(session, template)
  try {
    const found: KeyHandle[] = []
    for (;;) {
      const batch = lib.C_FindObjects(session, findBatch)
      found.push(...batch)
      if (batch.length < findBatch) return found
    }
  } finally {
    // A session with an unfinished search refuses every further search.
    lib.C_FindObjectsFinal(session)
  }
}
