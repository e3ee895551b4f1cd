import { EntitySchema, LessThan, LessThanOrEqual, MoreThan } from 'typeorm'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { isSet } from '../../store/conditions.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** `opened` and `revoked` are ends: nothing follows them. */
export type LinkState = 'waiting' | 'opened' | 'revoked'

/** A one-time link as it is stored: neither what opens it nor what it says can be read here. */
export interface Link {
  readonly id: number
  readonly userId: number
  /** 16 random bytes that the keeper drew. */
  readonly identity: Buffer
  /** SHA-256 of the text by which it is opened. */
  readonly opener: Buffer
  /** The maker's words for it, which stay with him. */
  readonly label: string
  /** Made in the maker's browser; null once it has ended. */
  readonly ciphertext: Buffer | null
  /** SHA-256 of the ciphertext. */
  readonly digest: Buffer
  readonly state: LinkState
  readonly createdAt: number
  readonly expiresAt: number
  /** When it was opened or revoked; null while it waits. */
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
export async function insertLink(tx: Tx, link: Omit<Link, 'id'>): Promise<number> {
  const { identifiers } = await tx.insert(LinkTable, { ...link })
  return Number(identifiers[0]?.['id'])
}

/** The link that this opens, while it waits. */
export function findWaiting(reader: Reader, opener: Buffer, now: number): Promise<Link | null> {
  return reader.findOneBy(LinkTable, { opener, state: 'waiting', expiresAt: MoreThan(now) })
}

export function findOwn(reader: Reader, userId: number, linkId: number): Promise<Link | null> {
  return reader.findOneBy(LinkTable, { id: linkId, userId })
}

export function countWaiting(reader: Reader, userId: number, now: number): Promise<number> {
  return reader.countBy(LinkTable, { userId, state: 'waiting', expiresAt: MoreThan(now) })
}

/** What a list shows; no ciphertext. */
export type ListedLink = Pick<Link, 'id' | 'label' | 'state' | 'createdAt' | 'expiresAt' | 'closedAt'>

/** Links of one maker, the newest first. */
export interface LinkPage {
  readonly userId: number
  /** Id of the last one of the page before; undefined for the first page. */
  readonly before: number | undefined
  readonly most: number
}

export interface ListedLinks {
  readonly links: readonly ListedLink[]
  /** Whether there are more behind them. */
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

/** Until the transaction ends, others that close this link wait; false where it waits to be opened no more. */
export async function lockWaiting(
  tx: Tx,
  { id: linkId, generation }: Pick<Link, 'id' | 'generation'>,
): Promise<boolean> {
  const waiting = { id: linkId, generation, state: 'waiting' } as const
  return (await tx.update(LinkTable, waiting, { state: 'waiting' })).affected === 1
}

/** Of calls at one moment exactly one closes it: false for all others, with nothing changed. */
export async function closeLink(
  tx: Tx,
  link: Pick<Link, 'id' | 'generation'>,
  end: Pick<Link, 'state' | 'closedAt' | 'generation' | 'seal'>,
): Promise<boolean> {
  const waiting = { id: link.id, generation: link.generation, state: 'waiting' } as const
  return (await tx.update(LinkTable, waiting, { ...end, ciphertext: null })).affected === 1
}

/** Takes the ciphertexts of links whose time has passed, and the links that ended long ago. Resolves to how many links. */
export async function sweepLinks(tx: Tx, now: number, endedBefore: number): Promise<number> {
  const taken = await tx.update(
    LinkTable,
    { expiresAt: LessThanOrEqual(now), ciphertext: isSet() },
    { ciphertext: null },
  )
  const deleted = await tx.delete(LinkTable, { expiresAt: LessThanOrEqual(endedBefore) })
  return (taken.affected ?? 0) + (deleted.affected ?? 0)
}

/** Of a database of the past: what waits in it may have been opened since. */
export async function removeWaitingLinks(tx: Tx): Promise<void> {
  await tx.delete(LinkTable, { state: 'waiting' })
}
