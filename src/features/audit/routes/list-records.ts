import { z } from 'zod'
import { Fault } from '../../../fault.ts'
import { endpoint, type AnyEndpoint } from '../../../http/contract/endpoint.ts'
import type { PagePoints, VisibleRecord, VisibleRecords } from '../visible-trail.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
const moment = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/, 'must be a time such as 2026-10-01T14:30:00Z')
  .refine((given) => !Number.isNaN(Date.parse(given)), 'must be a time')

const recordSchema = z.object({
  at: z.iso.datetime(),
  chain: z.string().describe('the process that wrote it'),
  seq: z.string().describe('its number in the chain'),
  operation: z.string(),
  outcome: z.string().describe('allowed, noted, or the code of a fault'),
  requestid: z.string(),
  userid: z.string().optional(),
  username: z.string().optional(),
  address: z.string().optional(),
  vaultid: z.string().optional(),
  key: z.string().optional(),
  version: z.string().optional(),
  subject: z.string().optional(),
  count: z.string().optional().describe('how many calls it sums up'),
})

/**
 * `GET /audit`: records of the trail of the machine that answers, the newest first, for users with the capability Audit: of the
 * vaults that are shared with them, and of administrators. It reads a bounded part of the trail, so a page may hold
 * fewer records than asked for, or none, and name a next one all the same.
 */
export const listRecords = (visible: VisibleRecords, endpoints: () => readonly AnyEndpoint[]) =>
  endpoint({
    operation: 'audit.list',
    handler: 'AuditHandler',
    method: 'GET',
    path: '/audit',
    summary: 'Read records of the audit trail of this machine, newest first',
    access: { kind: 'session', capability: 'audit' },
    quota: 'files',
    success: 200,
    faults: ['vault.not_found'],
    reply: {
      callinfo: z.object({
        machine: z.string().describe('whose trail this is, by audit.machine; empty where it has no name'),
        next: z.string().optional().describe('for the next page; absent where nothing is left'),
      }),
      members: z.object({ RECORDS: z.array(recordSchema) }),
    },
    params: z.object({}),
    body: z.object({
      since: moment.optional(),
      until: moment.optional().describe('the first moment that is too late'),
      user: text(128).optional().describe('a username, or the id of a user'),
      vaultid: text(20).optional(),
      key: text(256).optional(),
      operation: text(64).optional().describe('or its beginning and a star'),
      outcome: text(64).optional().describe('allowed, noted, refused, or the code of a fault'),
      limit: z
        .string()
        .regex(/^([1-9]|[1-9]\d|100)$/, 'must be 1 to 100')
        .default('50'),
      next: z
        .string()
        .regex(/^[\w-]{1,16384}$/, 'must be what the page before named')
        .optional(),
    }),
    async run({ body, caller }) {
      const { since, until, user, vaultid, key, operation, outcome, limit } = body
      const criteria = { since: momentOf(since), until: momentOf(until), user, vault: vaultid, key, operation, outcome }
      const page = await visible.read({
        userId: caller.userId,
        criteria,
        before: body.next === undefined ? undefined : pointsIn(body.next),
        mostRecords: Number(limit),
        isAdministrative: administrative(endpoints()),
      })
      const next = page.next === undefined ? {} : { next: textOf(page.next) }
      return { callinfo: { machine: visible.machine, ...next }, members: { RECORDS: page.records.map(recordItem) } }
    },
  })

/** What needs an administrator, also where it was refused; and what the operator does. */
function administrative(endpoints: readonly AnyEndpoint[]): (operation: string) => boolean {
  const operations = new Set(
    endpoints
      .filter(({ access }) => access.kind === 'session' && access.capability === 'admin')
      .map((contract) => contract.operation),
  )
  return (operation) => operations.has(operation) || operation.startsWith('console.')
}

const momentOf = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : Date.parse(given)

/** Opaque to clients; what they make up reads another place of the same trail. */
const textOf = (points: PagePoints): string =>
  Buffer.from(
    JSON.stringify(Object.entries(points).map(([chain, { segment, bytes }]) => [chain, segment, bytes])),
  ).toString('base64url')

const wholeNumber = z.number().int().min(0)
const pointsShape = z.array(z.tuple([z.string(), wholeNumber, wholeNumber])).max(4_096)

function pointsIn(given: string): PagePoints {
  try {
    const points = pointsShape.parse(JSON.parse(Buffer.from(given, 'base64url').toString()))
    return Object.fromEntries(points.map(([chain, segment, bytes]) => [chain, { segment, bytes }]))
  } catch (cause) {
    throw new Fault('request.invalid', 'next must be what the page before named.', { cause })
  }
}

function recordItem(record: VisibleRecord): Record<string, string> {
  const { at, chain, seq, operation, outcome, requestId, userId, username, address } = record
  const { vault, key, keyVersion, subject, count } = record
  const known = { userid: userId, username, address, vaultid: vault, key, version: keyVersion, subject, count }
  const present = Object.entries(known).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return {
    at: new Date(at).toISOString(),
    chain,
    seq: String(seq),
    operation,
    outcome,
    requestid: requestId,
    ...Object.fromEntries(present),
  }
}
