import type { SignedEnd } from '../audit-end.ts'
import type { Succession } from '../audit-succession.ts'
import { type AuditEnds, readAuditEnd } from './audit-ends.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import { checkOperator, type Origin } from './record-change.ts'
import type { AuditKeys } from './signing-keys.ts'

/** Operations that sign the audit trail, and that name its keys. */
export function createTrailHandlers(
  { auditEnds, auditKeys }: { readonly auditEnds: AuditEnds; readonly auditKeys: AuditKeys },
  origin: Origin,
) {
  return {
    lastAuditEnd: (fields) => endFields(auditEnds.last(fields.text())),
    signAuditEnd: (fields) => endFields(auditEnds.sign(readAuditEnd(fields))),
    auditKeys: () => [auditKeys.publicKey(), ...auditKeys.successions().flatMap(successionFields)],
    succeedAuditKey(fields) {
      checkOperator(origin)
      const shown = fields.list(() => ({ text: fields.text(), signature: fields.bytes() }))
      const succession = auditKeys.succeed(auditEnds.points(), shown)
      return succession === undefined ? [] : successionFields(succession)
    },
  } satisfies KeeperHandlers
}

/** An empty text stands for an unknown end. */
const endFields = (end: SignedEnd | undefined): Uint8Array[] =>
  end === undefined ? [Buffer.alloc(0), Buffer.alloc(0)] : [Buffer.from(end.text), end.signature]

const successionFields = ({ text, byFormer, byNext }: Succession): Uint8Array[] => [Buffer.from(text), byFormer, byNext]
