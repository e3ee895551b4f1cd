import { clockSkewMs } from '../../access/decision.ts'
import { longestLinkMs } from '../../access/link-limits.ts'
import { type Change, isNow, isSame, type Rule } from './record-change.ts'

/**
 * Whether the record of a one-time link may be sealed. Its creator begins it. It ends once: opened by anyone with the
 * opener, without a session, or revoked by its creator.
 */
export const linkRule: Rule<'one-time link'> = (change) =>
  change.previous === undefined ? isNew(change) : isEnd(change)

type LinkChange = Change<'one-time link'>

const isMaker = ({ grant, next }: LinkChange): boolean => grant?.user.equals(next.fields.creator) === true

function isNew(change: LinkChange): boolean {
  const { state, closedAt, createdAt, expiresAt } = change.next.fields
  return (
    state === 'waiting' &&
    closedAt === null &&
    isNow(createdAt, change) &&
    expiresAt > change.now &&
    expiresAt <= change.now + longestLinkMs + clockSkewMs &&
    isMaker(change)
  )
}

function isEnd(change: LinkChange): boolean {
  const { next, previous } = change
  if (previous?.fields.state !== 'waiting') return false
  if (!isSame(next, previous, 'identity', 'creator', 'opener', 'digest', 'createdAt', 'expiresAt')) return false
  const { state, closedAt, expiresAt } = next.fields
  if (closedAt === null || !isNow(closedAt, change)) return false
  return (state === 'opened' && expiresAt > change.now) || (state === 'revoked' && isMaker(change))
}
