import { Fault } from '../../fault.ts'
import type { SignedEnd } from '../audit-end.ts'
import type { SealedRecord } from '../hsm.ts'
import { random, seal, verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { type KeeperOperation, keeperOperations } from '../protocol/frame.ts'
import { composeRecord, identityBytes, type OpenedRecord, openRecord } from '../record-layouts.ts'
import type { Dispatch } from '../server/frame-server.ts'
import { createRequestFields, type RequestFields } from '../server/request-fields.ts'
import { pong, statusFields } from '../server/reply-fields.ts'
import { type AuditEnds, readAuditEnd } from './audit-ends.ts'
import { nonceBytes, provenanceRecord, purposeOf } from '../provenance.ts'
import { checkChange, type Origin } from './record-rules.ts'
import type { UsedProvenance } from './used-provenance.ts'

type Handler = (fields: RequestFields) => Uint8Array[]

/** While the token is down, a request makes the keeper look for it at most this often. */
const reopenEveryMs = 250

/** What the keeper does not forget. */
export interface KeeperMemory {
  readonly auditEnds: AuditEnds
  readonly usedProvenance: UsedProvenance
}

/** What the keeper does for clients of one of its sockets. */
export function createKeeperDispatch(
  token: Token,
  { auditEnds, usedProvenance }: KeeperMemory,
  origin: Origin,
): Dispatch {
  const handlers: Record<KeeperOperation, Handler> = {
    ping: () => pong(token),
    status: () => statusFields(token),
    seal(fields) {
      const record = fields.bytes()
      const previous = fields.sealed()
      const isNew = previous.record.length === 0
      const next = checkedChange(token, origin, record, isNew ? undefined : previous)
      if (isNew) checkProvenance(token, usedProvenance, next, record, fields.bytes())
      return [seal(token, record)]
    },
    lastAuditEnd: (fields) => endFields(auditEnds.last(fields.text())),
    signAuditEnd: (fields) => endFields(auditEnds.sign(readAuditEnd(fields))),
    sealNew: (fields) => sealNew(token, origin, fields.bytes()),
  }
  const byCode = keeperOperations.map((name) => handlers[name])
  let triedMs = -Infinity
  return ({ code, fields }) => {
    // There is no second keeper to ask: one whose token is back must not wait for its next look.
    if (token.state() === 'down' && performance.now() - triedMs > reopenEveryMs) {
      token.open()
      triedMs = performance.now()
    }
    const handler = byCode[code]
    if (handler === undefined) throw new Fault('hsm.unsupported', `This keeper knows no operation ${code}.`)
    return handler(createRequestFields(fields))
  }
}

/** An empty text stands for an end that is not known. */
const endFields = (end: SignedEnd | undefined): Uint8Array[] =>
  end === undefined ? [Buffer.alloc(0), Buffer.alloc(0)] : [Buffer.from(end.text), end.signature]

/** Reads a record and asks its type's rule. */
function checkedChange(token: Token, origin: Origin, record: Buffer, previous: SealedRecord | undefined): OpenedRecord {
  // An edited row that is sealed anew would be good.
  if (previous !== undefined) verify(token, previous)
  const next = opened(record)
  // An identity that a client chose could be that of another record: those that get one are made by `sealNew`.
  if (previous === undefined && next.type === 'transparent key 2')
    throw new Fault('hsm.rejected', 'A new key gets its identity here.')
  checkChange(next, previous && opened(previous.record), origin)
  return next
}

/** A new record of a key: of one that a host made or took in for this very place, and that is in no other record. */
function checkProvenance(
  token: Token,
  used: UsedProvenance,
  next: OpenedRecord,
  record: Buffer,
  provenance: Buffer,
): void {
  const purpose = purposeOf(next)
  if (next.key === undefined || purpose === undefined) return
  const { backupKek, backupBlob } = { backupKek: null, backupBlob: null, ...next.fields }
  const backup = backupKek === null || backupBlob === null ? undefined : { kek: backupKek, blob: backupBlob }
  const nonce = provenance.subarray(0, nonceBytes)
  const made = provenanceRecord(nonce, purpose, next.key.kind, { ...next.key, backup })
  verify(token, { record: made, seal: provenance.subarray(nonceBytes) })
  if (!used.use(provenance, record)) throw new Fault('hsm.rejected', 'This key is in another record already.')
}

/** Gives a new record an identity and seals it; in the request the identity is empty. */
function sealNew(token: Token, origin: Origin, record: Buffer): Buffer[] {
  const { type, key, fields } = opened(record)
  if (key !== undefined || !('identity' in fields) || fields.identity.length > 0)
    throw new Fault('hsm.rejected', 'A record of this type gets no identity.')
  const identity = random(token, identityBytes)
  const complete = composeRecord(type, { ...fields, identity })
  checkChange(opened(complete), undefined, origin)
  return [identity, seal(token, complete)]
}

function opened(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (cause) {
    throw new Fault('hsm.rejected', 'The keeper knows no such record.', { cause })
  }
}
