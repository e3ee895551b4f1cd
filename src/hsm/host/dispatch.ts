import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { mostBackupVersions } from '../key-backup-record.ts'
import { isSecretPurpose } from '../provenance.ts'
import { acceptance, readValidationAnswer } from '../validation-text.ts'
import { flagField } from '../protocol/fields.ts'
import { mostInFrame, outcomeFields } from '../protocol/batch-frame.ts'
import { type Operation, operations } from '../protocol/frame.ts'
import type { Dispatch } from '../server/frame-server.ts'
import { generated, pong, provenance, statusFields, tokenObject, wrapped } from '../server/reply-fields.ts'
import { hashes, paddings, quickKinds, secretKeyKinds, type SignatureScheme } from '../key-kind.ts'
import { auditPublicKey, random, verify, verifyBackup } from '../pkcs11/seal-operations.ts'
import { decrypt, decryptMany, encrypt, encryptMany, makeDataKey, rewrapMany } from '../pkcs11/cipher-operations.ts'
import { type BackupRequest, sealBackup } from '../pkcs11/key-backup.ts'
import { exportKey, exportPlain } from '../pkcs11/key-export.ts'
import { generate, importKey, importSecret } from '../pkcs11/key-making.ts'
import { restoreKey } from '../pkcs11/key-restoring.ts'
import { kindSupport } from '../pkcs11/kind-support.ts'
import { validationMac } from '../pkcs11/otp-operations.ts'
import { createTokenObject, type TokenObjectOptions } from '../pkcs11/token-keys.ts'
import { destroyObject } from '../pkcs11/key-destruction.ts'
import { hmac, sign, verifyHmac, verifySignature } from '../pkcs11/signing-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { createRoomField } from '../server/token-room.ts'
import { createRequestFields, type RequestFields } from '../server/request-fields.ts'
import { readCipherItems, readRewrapItems } from './batch-items.ts'

type Handler = (token: Token, fields: RequestFields) => Uint8Array[]

export function createDispatch(token: Token, options: TokenObjectOptions): Dispatch {
  const { tokenDirectory } = options
  const room = createRoomField(token, tokenDirectory)
  const handlers: Record<Operation, Handler> = {
    ...sealing,
    ...keys,
    ...uses,
    ...backups,
    ping: () => [...pong(token), Buffer.alloc(0), room()],
    status: () => [...statusFields(token), room()],
    createTokenObject(_token, fields) {
      const kind = fields.oneOf(quickKinds)
      return tokenObject(token, kind, createTokenObject(token, kind, fields.sealed(), options))
    },
    destroyObject(_token, fields) {
      destroyObject(token, { key: fields.sealed(), mark: fields.sealed() }, tokenDirectory)
      return []
    },
  }
  const byCode = operations.map((name) => handlers[name])
  return (frame) => {
    const handler = byCode[frame.code]
    if (handler === undefined) throw new Fault('hsm.unsupported', `This token host knows no operation ${frame.code}.`)
    return handler(token, createRequestFields(frame.fields))
  }
}

const sealing = {
  random: (token, fields) => [random(token, fields.integer())],
  verify(token, fields) {
    verify(token, fields.sealed())
    return []
  },
  auditPublicKey: (token) => [auditPublicKey(token)],
} satisfies Partial<Record<Operation, Handler>>

const keys = {
  kindSupport: (token) =>
    [...kindSupport(token).values()].flatMap(({ wrapped: withoutWrap, tokenObject }) => [
      Buffer.from(withoutWrap ?? ''),
      Buffer.from(tokenObject ?? ''),
    ]),
  generate(token, fields) {
    const kind = fields.oneOf(quickKinds)
    const options = fields.generateOptions()
    return generated(token, kind, options.purpose, generate(token, kind, options))
  },
  importSecret(token, fields) {
    const kind = fields.oneOf(secretKeyKinds)
    const [secret, purpose] = [fields.bytes(), fields.bytes()]
    if (!isSecretPurpose(purpose))
      throw new Fault(
        'hsm.rejected',
        'A secret from outside may only become that of one-time passwords, or of a client.',
      )
    const key = importSecret(token, kind, secret)
    return [...wrapped(key), provenance(token, kind, purpose, key)]
  },
  importKey(token, fields) {
    const [job, wrapped, policy, vaultKey] = [fields.sealed(), fields.bytes(), fields.sealed(), fields.sealed()]
    const { kind, purpose, key } = importKey(token, job, wrapped, { policy, vaultKey }, fields.optionalBytes())
    return generated(token, kind, purpose, key)
  },
  exportKey: (token, fields) => [exportKey(token, fields.reference(), fields.bytes())],
  exportPlain: (token, fields) => [exportPlain(token, fields.reference())],
} satisfies Partial<Record<Operation, Handler>>

const uses = {
  encrypt: (token, fields) => [encrypt(token, fields.reference(), fields.bytes(), fields.bytes())],
  decrypt: (token, fields) => [decrypt(token, fields.reference(), fields.bytes(), fields.bytes())],
  encryptMany: (token, fields) => outcomeFields(encryptMany(token, readCipherItems(fields))),
  decryptMany: (token, fields) => outcomeFields(decryptMany(token, readCipherItems(fields))),
  rewrapMany: (token, fields) => outcomeFields(rewrapMany(token, readRewrapItems(fields))),
  sign: (token, fields) => [sign(token, fields.reference(), scheme(fields), fields.bytes())],
  verifySignature: (token, fields) => [
    flagField(verifySignature(token, fields.reference(), scheme(fields), fields.bytes(), fields.bytes())),
  ],
  hmac: (token, fields) => [hmac(token, fields.reference(), fields.bytes())],
  verifyHmac: (token, fields) => [flagField(verifyHmac(token, fields.reference(), fields.bytes(), fields.bytes()))],
  makeDataKey(token, fields) {
    const [key, count, aad, open] = [fields.reference(), fields.integer(), fields.bytes(), fields.flag()]
    const { ciphertext, plaintext } = makeDataKey(token, key, count, aad, open)
    return [ciphertext, plaintext ?? Buffer.alloc(0)]
  },
  signValidation(token, fields) {
    const client = fields.sealed()
    const answer = fields.bytes()
    // Signs only refusals. Anything that could be a request is signed by the client alone, and an acceptance is decided
    // by the keeper.
    const status = readValidationAnswer(answer.toString())?.get('status')
    if (status === undefined || status === acceptance)
      throw new Fault('hsm.rejected', 'This is not a refusal of the validator.')
    return [validationMac(token, client, answer)]
  },
  verifyValidation(token, fields) {
    const expected = validationMac(token, fields.sealed(), fields.bytes())
    const given = fields.bytes()
    return [flagField(given.length === expected.length && timingSafeEqual(given, expected))]
  },
} satisfies Partial<Record<Operation, Handler>>

const backups = {
  sealBackup: (token, fields) => [sealBackup(token, keyToBackUp(fields))],
  verifyBackup(token, fields) {
    verifyBackup(token, fields.bytes())
    return []
  },
  restoreKey(token, fields) {
    const [backup, policy, vaultKey] = [fields.bytes(), fields.sealed(), fields.sealed()]
    const { kind, purpose, keys } = restoreKey(token, backup, { policy, vaultKey }, fields.integer())
    return keys.flatMap((key) => generated(token, kind, purpose, key))
  },
} satisfies Partial<Record<Operation, Handler>>

/** The request itself has further versions. To verify and read a part of a symmetric key takes 0.3 ms. */
const mostBackupParts = mostBackupVersions / mostInFrame.keys - 1

function keyToBackUp(fields: RequestFields): BackupRequest {
  const [policy, grant, vaultKey] = [fields.sealed(), fields.optionalSealed(), fields.optionalSealed()]
  const versions = fields.list(() => ({ key: fields.sealed(), count: fields.sealed() }), mostInFrame.keys)
  const [isPart, parts] = [fields.flag(), fields.list(() => fields.bytes(), mostBackupParts)]
  return { policy, versions, vaultKey, isPart, parts, ...(grant ? { grant } : {}) }
}

function scheme(fields: RequestFields): SignatureScheme {
  const hash = fields.oneOf(hashes)
  const padding = fields.oneOf(paddings)
  const saltBytes = fields.text()
  return { hash, padding, saltBytes: saltBytes === '' ? undefined : Number(saltBytes) }
}
