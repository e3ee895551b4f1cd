import { z } from 'zod'
import { idSegment, idText, moment } from '../../../http/contract/shared-fields.ts'
import type { ListedLink } from '../records.ts'

export const linkSchema = z.object({
  id: idText('Id of the link, for its maker: it does not open the link.'),
  label: z.string().describe('What its maker calls it, of at most 128 characters.'),
  state: z.enum(['waiting', 'opened', 'revoked', 'expired']).describe('What has become of the link.'),
  created: moment('When it was made.'),
  expires: moment('Until when it can be opened.'),
  closed: z.iso.datetime().nullable().describe('When it was opened or revoked, UTC; null while it waits.'),
})

export const linkParams = z.object({ linkid: idSegment('Id of the link, as `GET /link` lists it.') })

export function linkRecordOf({ id, label, state, createdAt, expiresAt, closedAt }: ListedLink, now: number) {
  return {
    id: String(id),
    label,
    state: state === 'waiting' && expiresAt <= now ? 'expired' : state,
    created: new Date(createdAt).toISOString(),
    expires: new Date(expiresAt).toISOString(),
    closed: closedAt === null ? null : new Date(closedAt).toISOString(),
  }
}
