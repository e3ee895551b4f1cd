import { Fault } from '../../fault.ts'
import { type Frame, type Operation, operations } from '../frame.ts'
import {
  type GeneratedKey,
  type KeyKind,
  type KeyReference,
  type SealedRecord,
  type WrappedKey,
  anyKinds,
  isPairKind,
  keyKinds,
} from '../hsm.ts'
import { auditPublicKey, generatePair } from '../pkcs11/key-pairs.ts'
import * as operate from '../pkcs11/operations.ts'
import type { Token } from '../pkcs11/token.ts'
import { tokenStatus } from '../pkcs11/token-status.ts'
import { createVaultKey, destroyVaultKey } from '../pkcs11/vault-keys.ts'

/** Performs the operation that a frame asks for; the fields of the reply. Throws Fault. */
export type Dispatch = (frame: Frame) => Uint8Array[]

type Handler = (token: Token, fields: Fields) => Uint8Array[]

/** `tokenDirectory`: the folder of a software token, see `hsm.tokenDirectory`. */
export function createDispatch(token: Token, tokenDirectory: string | undefined): Dispatch {
  const handlers: Partial<Record<Operation, Handler>> = {
    ...sealed,
    ...keys,
    ...uses,
    ping: () => pong(token),
    status: () => [...pong(token), Buffer.from(token.state() === 'ready' ? JSON.stringify(tokenStatus(token)) : '')],
    createVaultKey: () => [Buffer.from(createVaultKey(token, tokenDirectory))],
    destroyVaultKey(_token, fields) {
      destroyVaultKey(token, fields.text(), tokenDirectory)
      return []
    },
  }
  const byCode = operations.map((name) => handlers[name])
  return (frame) => {
    const handler = byCode[frame.code]
    if (handler === undefined) throw new Fault('hsm.unsupported', `This token host knows no operation ${frame.code}.`)
    return handler(token, createFields(frame.fields))
  }
}

function pong(token: Token): Buffer[] {
  return [Buffer.from(token.state()), Buffer.from(token.reason() ?? '')]
}

const sealed = {
  random: (token, fields) => [operate.random(token, fields.integer())],
  seal: (token, fields) => [operate.seal(token, fields.bytes())],
  verify(token, fields) {
    operate.verify(token, fields.sealed())
    return []
  },
  pepper: (token, fields) => [operate.pepper(token, fields.bytes())],
  signAudit: (token, fields) => [operate.signAudit(token, fields.bytes())],
  auditPublicKey: (token) => [auditPublicKey(token)],
} satisfies Partial<Record<Operation, Handler>>

const keys = {
  generate(token, fields) {
    const kind = fields.oneOf(anyKinds)
    if (isPairKind(kind)) return generated({ ...generatePair(token, kind), backup: undefined })
    const key = operate.generate(token, kind, { exportable: fields.flag(), backup: fields.flag() })
    return generated(key)
  },
  importSecret: (token, fields) =>
    wrapped(operate.importSecret(token, fields.oneOf<KeyKind>(keyKinds), fields.bytes())),
} satisfies Partial<Record<Operation, Handler>>

const uses = {
  encrypt: (token, fields) => [operate.encrypt(token, fields.reference(), fields.bytes(), fields.bytes())],
  decrypt: (token, fields) => [operate.decrypt(token, fields.reference(), fields.bytes(), fields.bytes())],
  decryptOtpBlock: (token, fields) => [operate.decryptOtpBlock(token, fields.reference(), fields.bytes())],
  otpHmac: (token, fields) => [operate.otpHmac(token, fields.reference(), fields.bytes())],
} satisfies Partial<Record<Operation, Handler>>

const nothing = Buffer.alloc(0)

function generated(key: GeneratedKey): Buffer[] {
  return [
    ...wrapped(key),
    key.publicKey ?? nothing,
    ...(key.backup === undefined ? [nothing, nothing] : wrapped(key.backup)),
  ]
}

function wrapped({ kek, blob }: WrappedKey): Buffer[] {
  return [Buffer.from(kek), blob]
}

/** Takes the fields of a request one after another. Throws `hsm.rejected` when one is missing or not what it should be. */
interface Fields {
  bytes(): Buffer
  text(): string
  integer(): number
  flag(): boolean
  oneOf<T extends string>(values: readonly T[]): T
  sealed(): SealedRecord
  reference(): KeyReference
}

function createFields(list: readonly Buffer[]): Fields {
  let next = 0
  const bytes = () => {
    const field = list[next++]
    if (field === undefined) throw new Fault('hsm.rejected', 'A field of the request is missing.')
    return field
  }
  const text = () => bytes().toString()
  const sealed = () => ({ record: bytes(), seal: bytes() })
  return {
    bytes,
    text,
    integer: () => Number(text()),
    flag: () => text() === '1',
    oneOf(values) {
      const value = text()
      const found = values.find((candidate) => candidate === value)
      if (found === undefined) throw new Fault('hsm.rejected', `There is no kind ${value}.`)
      return found
    },
    sealed,
    reference() {
      const key = sealed()
      const policy = sealed()
      // Not by the seal: an empty one in the database would be taken for none, and the limits go unchecked.
      return policy.record.length === 0 ? { key } : { key, policy }
    },
  }
}
