import { z } from 'zod'
import { idText, moment, numberText } from '../../../http/contract/shared-fields.ts'
import { Fault } from '../../../fault.ts'
import { followingPage } from '../../../http/contract/paging.ts'
import { endpoint, type AnyEndpoint } from '../../../http/contract/endpoint.ts'
import type { PagePoints, VisibleRecord, VisibleRecords } from '../visible-trail.ts'

const text = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^\P{Cc}*$/u, 'must not hold control characters')
const givenMoment = z.iso.datetime('must be a time such as 2026-10-01T14:30:00Z')

const recordSchema = z
  .object({
    at: moment('When it was written.'),
    chain: z.string().describe('The process that wrote it: each has a chain of its own.'),
    seq: numberText('Its number in the chain, as text.'),
    operation: z
      .string()
      .describe(
        'What was called or done, such as `transparent.decrypt`: the operation ids of this document, and more.',
      ),
    outcome: z.string().describe('`allowed`, `noted`, or the code of the fault that refused it.'),
    requestid: z
      .string()
      .describe('Id of the call, a UUID where it came over this interface; several records may share it.'),
    userid: idText('Id of the user who called.').optional(),
    username: z.string().describe('Login name of the user, as it was then or as it was sent.').optional(),
    address: z.string().describe('IP address that the call came from.').optional(),
    vaultid: z.string().describe('Id of the vault that it was about.').optional(),
    key: z.string().describe('Name of the key that it was about.').optional(),
    version: z.string().describe('Version of that key.').optional(),
    subject: z.string().describe('What else it was about.').optional(),
    count: numberText('How many calls it sums up, as text; absent where it is one.').optional(),
  })
  .meta({ id: 'AuditRecord', description: 'A record of the audit trail.' })

/**
 * `GET /audit`: records from the trail of the machine that answers, the newest first, for users with the capability
 * Audit: those of the vaults that are shared with the user, and those of administrators. Each call reads a bounded part
 * of the trail, so that a page may hold fewer records than the limit, or none, and still name a next page.
 */
export const listRecords = (visible: VisibleRecords, endpoints: () => readonly AnyEndpoint[]) =>
  endpoint({
    operation: 'audit.list',
    handler: 'AuditHandler',
    method: 'GET',
    path: '/audit',
    summary: 'Read records of the audit trail of this machine, newest first',
    details:
      'Of the vaults that are shared with the caller, and of administrators. It reads a bounded part of the trail: a page may hold fewer records than asked for, or none, and still name a next one.',
    access: { kind: 'session', capability: 'audit' },
    quota: 'files',
    faults: ['vault.not_found'],
    reply: {
      callinfo: z.object({
        machine: z
          .string()
          .describe('Name of the machine whose trail this is (the setting `audit.machine`); empty where it has none.'),
        next: followingPage(),
      }),
      members: z.object({ RECORDS: z.array(recordSchema).max(100).describe('The records, the newest first.') }),
    },
    body: z.object({
      since: givenMoment.describe('Only records from this time on, such as 2026-10-01T14:30:00Z.').optional(),
      until: givenMoment.describe('Only records before this time.').optional(),
      user: text(128).describe('Login name or id of a user.').optional(),
      vaultid: text(20).describe('Id of a vault.').optional(),
      key: text(256).describe('Name of a key.').optional(),
      subject: text(256)
        .describe(
          'What else the records are about, such as `object 7`; subjects that go on after a colon are found too: `object 7: password`.',
        )
        .optional(),
      operation: text(64).describe('An operation, or its beginning and a star: `transparent.*`.').optional(),
      outcome: text(64).describe('`allowed`, `noted`, `refused` for every refusal, or the code of a fault.').optional(),
      limit: z
        .string()
        .regex(/^([1-9]|[1-9]\d|100)$/, 'must be 1 to 100')
        .describe('Most records of the page, 1 to 100.')
        .default('50'),
      next: z
        .string()
        .regex(/^[\w-]{1,16384}$/, 'must be what the page before named')
        .describe('`CALLINFO.next` of the page before.')
        .optional(),
    }),
    async run({ body, caller }) {
      const { since, until, user, vaultid, key, subject, operation, outcome, limit } = body
      const moments = { since: momentOf(since), until: momentOf(until) }
      const criteria = { ...moments, user, vault: vaultid, key, subject, operation, outcome }
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

/** Operations that need an administrator, including refused ones, and operations of the console. */
function administrative(endpoints: readonly AnyEndpoint[]): (operation: string) => boolean {
  const operations = new Set(
    endpoints
      .filter(
        ({ access }) => access.kind === 'session' && access.capability === 'admin' && !(access.self ?? access.owner),
      )
      .map((contract) => contract.operation),
  )
  return (operation) => operations.has(operation) || operation.startsWith('console.')
}

const momentOf = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : Date.parse(given)

/** Opaque to clients. A made-up value only selects another position of the same trail. */
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
  } catch {
    throw new Fault('request.invalid', 'next must be what the page before named.')
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
