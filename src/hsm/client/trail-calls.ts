import type { SignedEnd } from '../audit-end.ts'
import type { Succession } from '../audit-succession.ts'
import { listFields, nothing } from '../protocol/fields.ts'
import type { TrailPort } from '../sealing-port.ts'
import { field, given } from './replies.ts'
import type { Keeper } from './request-router.ts'

/** Requests to the keeper for signatures of the audit trail and the public keys for them. */
export function trailCalls(keeper: Keeper) {
  return {
    async auditKeys() {
      const [publicKey, ...rest] = await keeper.call('auditKeys', [])
      return { publicKey: field(publicKey === undefined ? [] : [publicKey], 0), successions: successionsOf(rest) }
    },
    async succeedAuditKey(ends) {
      const fields = listFields(ends, ({ text, signature }) => [Buffer.from(text), signature])
      const reply = await keeper.call('succeedAuditKey', fields)
      return successionsOf(reply)[0]
    },
    async lastAuditEnd(chain) {
      const reply = await keeper.call('lastAuditEnd', [Buffer.from(chain)])
      return given(reply, 0) && signedEnd(reply)
    },
    signAuditEnd: async ({ chain, covers, heads, previous }) =>
      signedEnd(
        await keeper.call('signAuditEnd', [
          ...[chain, covers.seq, covers.hash, JSON.stringify(heads), previous?.text ?? ''].map((part) =>
            Buffer.from(String(part)),
          ),
          previous?.signature ?? nothing,
        ]),
      ),
  } satisfies TrailPort
}

function successionsOf(reply: readonly Buffer[]): Succession[] {
  return Array.from({ length: reply.length / 3 }, (_, at) => ({
    text: field(reply, at * 3).toString(),
    byFormer: field(reply, at * 3 + 1),
    byNext: field(reply, at * 3 + 2),
  }))
}

const signedEnd = (reply: readonly Buffer[]): SignedEnd => ({
  text: field(reply, 0).toString(),
  signature: field(reply, 1),
})
