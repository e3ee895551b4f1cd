import type { KeyBackup } from '../key-backup.ts'
import { type Calls, field, optionFields, wrapped } from './calls.ts'

const nothing = Buffer.alloc(0)

export function createKeyBackup({ fields, done, generated }: Calls): KeyBackup {
  return {
    async sealBackup(bytes) {
      const reply = await fields('sealBackup', [bytes])
      return { name: field(reply, 0).toString(), seal: field(reply, 1) }
    },
    verifyBackup: (bytes, { name, seal }) => done('verifyBackup', [bytes, Buffer.from(name), seal]),
    rewrapBackup: async (kind, { kek, blob }) =>
      wrapped(await fields('rewrapBackup', [Buffer.from(kind), Buffer.from(kek), blob]), 0),
    restoreKey: (kind, { kek, blob }, options) =>
      generated('restoreKey', [
        Buffer.from(kind),
        Buffer.from(kek),
        blob,
        ...optionFields(options),
        options.publicKey ?? nothing,
      ]),
  }
}
