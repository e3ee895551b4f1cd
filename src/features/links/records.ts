import { EntitySchema, LessThan, LessThanOrEqual, MoreThan } from 'typeorm'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { isSet } from '../../store/conditions.ts'
import { insertRow } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** `opened` and `revoked` are final. */
export type LinkState = 'waiting' | 'opened' | 'revoked'

/** A stored one-time link. It contains neither the opener nor the plaintext. */
export interface Link {
  readonly id: number
  readonly userId: number
  /** 16 random bytes, drawn by the keeper. */
  readonly identity: Buffer
  /** SHA-256 of the text that opens it. */
  readonly opener: Buffer
  /** The creator's description, which only the creator sees. */
  readonly label: string
  /** Encrypted in the creator's browser; null once the link has ended. */
  readonly ciphertext: Buffer | null
  /** SHA-256 of the ciphertext. */
  readonly digest: Buffer
  readonly state: LinkState
  readonly createdAt: number
  readonly expiresAt: number
  /** When it was opened or revoked; null while it is waiting. */
  readonly closedAt: number | null
  /** See `record-generation.ts`. */
  readonly generation: number
  /** Over the record of the link (`link-seals.ts`). */
  readonly seal: Buffer
}

export const LinkTable = new EntitySchema<Link>({
  name: 'OneTimeLink',
  tableName: 'one_time_links',
  columns: {
    id,
    userId: named('user_id', integer),
    identity: bytes,
    opener: bytes,
    label: text,
    ciphertext: nullable(bytes),
    digest: bytes,
    state: text,
    createdAt: named('created_at', time),
    expiresAt: named('expires_at', time),
    closedAt: named('closed_at', nullable(time)),
    generation: integer,
    seal: bytes,
  },
})

/** Resolves to its id. */
export function insertLink(tx: Tx, link: Omit<Link, 'id'>): Promise<number> {
  return insertRow(tx, LinkTable, link)
}

/** The waiting link that this opener opens. */
export function findWaiting(reader: Reader, opener: Buffer, now: number): Promise<Link | null> {
  return reader.findOneBy(LinkTable, { opener, state: 'waiting', expiresAt: MoreThan(now) })
}

export function findOwn(reader: Reader, userId: number, linkId: number): Promise<Link | null> {
  return reader.findOneBy(LinkTable, { id: linkId, userId })
}

export function countWaiting(reader: Reader, userId: number, now: number): Promise<number> {
  return reader.countBy(LinkTable, { userId, state: 'waiting', expiresAt: MoreThan(now) })
}

/** The columns that a list shows, without the ciphertext. */
export type ListedLink = Pick<Link, 'id' | 'label' | 'state' | 'createdAt' | 'expiresAt' | 'closedAt'>

/** A page of the links of one creator, newest first. */
export interface LinkPage {
  readonly userId: number
  /** Id of the last link of the page before; undefined for the first page. */
  readonly before: number | undefined
  readonly most: number
}

export interface ListedLinks {
  readonly links: readonly ListedLink[]
  /** Whether there are more links after this page. */
  readonly hasMore: boolean
}

export async function listLinks(reader: Reader, { userId, before, most }: LinkPage): Promise<ListedLinks> {
  const links = await reader.find(LinkTable, {
    select: { id: true, label: true, state: true, createdAt: true, expiresAt: true, closedAt: true },
    where: { userId, ...(before !== undefined && { id: LessThan(before) }) },
    order: { id: 'DESC' },
    take: most + 1,
  })
  return { links: links.slice(0, most), hasMore: links.length > most }
}

/**
 * Locks the link until the transaction ends, so that others that would close it wait. False where it is not waiting any
 * more.
 */
export async function lockWaiting(
  tx: Tx,
  { id: linkId, generation }: Pick<Link, 'id' | 'generation'>,
): Promise<boolean> {
  const waiting = { id: linkId, generation, state: 'waiting' } as const
  return (await tx.update(LinkTable, waiting, { state: 'waiting' })).affected === 1
}

/** True for exactly one of parallel calls that close the link; false, with nothing changed, for the others. */
export async function closeLink(
  tx: Tx,
  link: Pick<Link, 'id' | 'generation'>,
  end: Pick<Link, 'state' | 'closedAt' | 'generation' | 'seal'>,
): Promise<boolean> {
  const waiting = { id: link.id, generation: link.generation, state: 'waiting' } as const
  return (await tx.update(LinkTable, waiting, { ...end, ciphertext: null })).affected === 1
}

/** Deletes the ciphertexts of expired links, and links that ended long ago. Resolves to the number of links. */
export async function sweepLinks(tx: Tx, now: number, endedBefore: number): Promise<number> {
  const taken = await tx.update(
    LinkTable,
    { expiresAt: LessThanOrEqual(now), ciphertext: isSet() },
    { ciphertext: null },
  )
  const deleted = await tx.delete(LinkTable, { expiresAt: LessThanOrEqual(endedBefore) })
  return (taken.affected ?? 0) + (deleted.affected ?? 0)
}

/** For a restored database: a link that was waiting in it may have been opened since. */
export async function removeWaitingLinks(tx: Tx): Promise<void> {
  await tx.delete(LinkTable, { state: 'waiting' })
}
