import { encodeRecord } from '../key-record.ts'
import { listFields, numberField } from '../protocol/fields.ts'
import type { Generation } from '../record-generation.ts'
import type { SealingPort } from '../sealing-port.ts'
import { field } from './replies.ts'
import type { Keeper } from './request-router.ts'

/** Requests of the operator to the keeper about all records that it was shown. */
export function shownCalls(keeper: Keeper) {
  return {
    async acceptRestored() {
      await keeper.call('acceptRestored', [])
    },
    async restoredShown() {
      await keeper.call('restoredShown', [])
    },
    async checkVaultNumber({ id, identity }) {
      await keeper.call('checkVaultNumber', [numberField(id), Buffer.from(identity, 'hex')])
    },
    async noteRoots(labels) {
      await keeper.call(
        'noteRoots',
        listFields(labels, (label) => [Buffer.from(label)]),
      )
    },
    async knownSubjects(type, ...more) {
      const beginning = encodeRecord([type, ...more])
      const known: Generation[] = []
      for (let from = beginning; ;) {
        const reply = await keeper.call('knownSubjects', [beginning, from])
        for (let at = 0; at < reply.length; at += 2)
          known.push({ subject: field(reply, at), number: Number(field(reply, at + 1).toString()) })
        const last = known.at(-1)
        if (reply.length === 0 || last === undefined) break
        from = Buffer.concat([last.subject, Buffer.alloc(1)])
      }
      return known
    },
  } satisfies Partial<SealingPort>
}
