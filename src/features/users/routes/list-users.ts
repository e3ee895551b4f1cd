import { z } from 'zod'
import { holds } from '../../../access/capabilities.ts'
import type { Caller } from '../../../access/caller.ts'
import { decimalId } from '../../../access/resource.ts'
import { Fault } from '../../../fault.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { anyNext, followingPage, pageLimit, pageNext } from '../../../http/contract/paging.ts'
import type { ListedUser } from '../records.ts'
import type { Users } from '../user.ts'
import { publicRecord, publicSchema, userRecord, userSchema } from './user-record.ts'
import { userIdOf } from '../../../http/contract/shared-fields.ts'

/** WIRE §5: "user search string: at most 15 characters". */
const needle = z
  .string()
  .refine((text) => Array.from(text).length <= 15, 'must have 15 characters at most')
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')

const anIdOrText = 'must be an id, or a text of 15 characters at most without control characters'

const access = { kind: 'session', capability: ['admin', 'createVault'] } as const
const isAdministrator = ({ capabilities }: Caller): boolean => holds(capabilities, 'admin')

const foundSchema = z.object({
  users: z
    .union([
      z.array(userSchema).describe('For administrators.'),
      z.array(publicSchema).describe('For those who may create vaults and are not administrators.'),
    ])
    .describe('The users that were found, in the order in which they were made.'),
})
const pageSchema = foundSchema.extend({
  next: followingPage(),
})
const answer = (users: readonly ListedUser[], caller: Caller, more: { readonly next?: string } = {}) => ({
  callinfo: { users: users.map(isAdministrator(caller) ? userRecord : publicRecord), ...more },
})

const pageMembers = {
  limit: pageLimit('users', 'All users in one answer when absent.'),
  next: pageNext('`CALLINFO.next` of the page before. It goes with `limit`.'),
}

/** `GET /user`: all users, or those that a search finds, in one answer or page by page. */
export const listUsers = (users: Users) =>
  endpoint({
    operation: 'user.list',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user',
    summary: 'List users, or search for some',
    access,
    reply: { callinfo: pageSchema },
    body: z.object({
      searchstring: needle
        .describe('Part of a user name, full name or e-mail address: 15 characters at most. All users when absent.')
        .default(''),
      ...pageMembers,
    }),
    async run({ body: { searchstring: text, limit, next }, caller }) {
      const inNames = isAdministrator(caller)
      if (limit === undefined && next !== undefined)
        throw new Fault('request.invalid', 'limit is missing: next goes with it.')
      if (limit === undefined) return answer(await users.search(text, inNames), caller)
      const after = next === undefined ? 0 : decimalId(next)
      if (after === undefined) throw new Fault('request.invalid', `next ${anyNext}.`)
      const page = await users.searchPage(text, inNames, { after, most: limit })
      const last = page.hasMore ? page.users.at(-1) : undefined
      return answer(page.users, caller, last && { next: String(last.id) })
    },
  })

/** `GET /user/:userid`: the user of an id. Anything but digits is searched for, as published clients expect. */
export const readUser = (users: Users) =>
  endpoint({
    operation: 'user.read',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user/:userid',
    summary: 'Read a user by id, or search for some',
    access,
    faults: ['user.not_found'],
    reply: { callinfo: foundSchema },
    params: z.object({
      userid: z
        .union([z.string().regex(/^\d+$/), needle], anIdOrText)
        .describe('Id of a user in decimal digits, or a text of 15 characters at most to search for.'),
    }),
    async run({ params: { userid }, caller }) {
      const found = /^\d+$/.test(userid)
        ? [await users.read(userIdOf(userid))]
        : await users.search(userid, isAdministrator(caller))
      return answer(found, caller)
    },
  })
