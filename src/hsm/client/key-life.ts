import { Fault } from '../../fault.ts'
import { referenceFields } from '../protocol/batch-frame.ts'
import { type KeyKind, keyKinds } from '../key-kind.ts'
import type { KeyLife, KindSupport } from '../key-life.ts'
import { type Calls, field, given, optionFields, wrapped } from './calls.ts'

const nothing = Buffer.alloc(0)

export function createKeyLife({ fields, bytes, done, generated }: Calls): KeyLife {
  return {
    async kindSupport() {
      const lacking = await fields('kindSupport', [])
      const at = (place: number) => given(lacking, place)?.toString()
      return new Map(
        keyKinds.map((kind, place): [KeyKind, KindSupport] => [
          kind,
          { wrapped: at(2 * place), tokenObject: at(2 * place + 1) },
        ]),
      )
    },
    generate: (kind, options) => generated('generate', [Buffer.from(kind), ...optionFields(options)]),
    async generatePair(kind) {
      const { kek, blob, publicKey } = await generated('generate', [
        Buffer.from(kind),
        ...optionFields({ exportable: false, backup: false }),
      ])
      if (publicKey === undefined)
        throw new Fault('hsm.unavailable', 'The token host gave a pair without a public key.')
      return { kek, blob, publicKey }
    },
    importSecret: async (kind, secret) => wrapped(await fields('importSecret', [Buffer.from(kind), secret]), 0),
    transportPublicKey: () => bytes('transportPublicKey', []),
    importKey: (kind, blob, options) =>
      generated('importKey', [Buffer.from(kind), blob, ...optionFields(options), options.publicKey ?? nothing]),
    exportKey: (key, recipient) => bytes('exportKey', [...referenceFields(key), recipient]),
    exportPlain: (key) => bytes('exportPlain', referenceFields(key)),
    async createTokenObject(kind) {
      const reply = await fields('createTokenObject', [Buffer.from(kind)])
      return { id: field(reply, 0).toString(), publicKey: given(reply, 1) }
    },
    destroyTokenObject: (id) => done('destroyTokenObject', [Buffer.from(id)]),
    createVaultKey: async () => (await bytes('createVaultKey', [])).toString(),
    destroyVaultKey: (id) => done('destroyVaultKey', [Buffer.from(id)]),
  }
}
