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
import { checkChange, type Origin } from './record-rules.ts'

type Handler = (fields: RequestFields) => Uint8Array[]

/** What the keeper does for clients of one of its sockets. */
export function createKeeperDispatch(token: Token, auditEnds: AuditEnds, origin: Origin): Dispatch {
  const handlers: Record<KeeperOperation, Handler> = {
    ping: () => pong(token),
    status: () => statusFields(token),
    seal: (fields) => [sealRecord(token, origin, fields.bytes(), fields.sealed())],
    lastAuditEnd: (fields) => endFields(auditEnds.last(fields.text())),
    signAuditEnd: (fields) => endFields(auditEnds.sign(readAuditEnd(fields))),
    sealNew: (fields) => sealNew(token, origin, fields.bytes()),
  }
  const byCode = keeperOperations.map((name) => handlers[name])
  return ({ code, fields }) => {
    const handler = byCode[code]
    if (handler === undefined) throw new Fault('hsm.unsupported', `This keeper knows no operation ${code}.`)
    return handler(createRequestFields(fields))
  }
}

/** An empty text stands for an end that is not known. */
const endFields = (end: SignedEnd | undefined): Uint8Array[] =>
  end === undefined ? [Buffer.alloc(0), Buffer.alloc(0)] : [Buffer.from(end.text), end.signature]

/** Seals a record after its type's rule; `previous` is empty where it is new. */
function sealRecord(token: Token, origin: Origin, record: Buffer, previous: SealedRecord): Buffer {
  const isNew = previous.record.length === 0
  // An edited row that is sealed anew would be good.
  if (!isNew) verify(token, previous)
  const next = opened(record)
  // An identity that a client chose could be that of another record: those that get one are made by `sealNew`.
  if (isNew && next.type === 'transparent key 2') throw new Fault('hsm.rejected', 'A new key gets its identity here.')
  checkChange(next, isNew ? undefined : opened(previous.record), origin)
  return seal(token, record)
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
