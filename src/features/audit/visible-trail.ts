import { readNewest } from '../../audit/reading/newest-first.ts'
import type { RecordCriteria } from '../../audit/reading/record-filter.ts'
import type { TrailRecord } from '../../audit/reading/trail-record.ts'
import type { ReadPoints } from '../../audit/witness/head-reader.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import { findUserById } from '../users/records.ts'
import { findSealedMembership } from '../vaults/vault-seals.ts'
import type { SharedVault } from '../vaults/records.ts'
import type { Vaults } from '../vaults/vault.ts'

/**
 * Bytes of the trail read per page: 10,700 records of encryptions, which take 25 to 45 ms of processor time (measured).
 */
const mostBytes = 4 * 2 ** 20

export type VisibleRecord = TrailRecord
/** The position up to which a page has read. */
export type PagePoints = ReadPoints

export interface RecordsRequest {
  readonly userId: number
  readonly criteria: RecordCriteria
  readonly before: PagePoints | undefined
  readonly mostRecords: number
  /** Whether an operation is administrative. */
  readonly isAdministrative: (operation: string) => boolean
}

/** The part of this machine's trail that a user with the capability Audit may see. */
export interface VisibleRecords {
  /** The name of this machine; empty where the configuration gives none. */
  readonly machine: string
  /**
   * Records of the vaults that are shared with the user, and of administrators, the newest first.
   * @throws Fault `vault.not_found` where a vault is asked for that is not shared with the user
   */
  read(
    request: RecordsRequest,
  ): Promise<{ readonly records: readonly VisibleRecord[]; readonly next: PagePoints | undefined }>
}

/** A narrowed member does not see a vault's trail, which names all of its contents and what others do there. */
const isWhole = ({ scope }: SharedVault): boolean => scope === null

export function createVisibleRecords({
  store,
  hsm,
  vaults,
  trail,
}: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'verify'>
  readonly vaults: Pick<Vaults, 'listFor'>
  readonly trail: { readonly directory: string; readonly machine?: string | undefined }
}): VisibleRecords {
  /** Keeps the vaults whose membership has a valid seal, so that an edited row reveals no record. */
  async function sealedAmong(userId: number, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const user = await findUserById(store.read, userId)
    const sealed = new Set<string>()
    for (const id of ids) if (user !== null && (await isMember(user, Number(id)))) sealed.add(id)
    return sealed
  }

  async function isMember(user: Parameters<typeof findSealedMembership>[1], vaultId: number): Promise<boolean> {
    const membership = await findSealedMembership(store.read, user, vaultId)
    if (membership === undefined) return false
    try {
      await hsm.verify(membership)
      return true
    } catch (error) {
      if (isFault(error, 'hsm.seal_broken') || isFault(error, 'hsm.outdated')) return false
      throw error
    }
  }

  return {
    machine: trail.machine ?? '',
    async read({ userId, criteria, before, mostRecords, isAdministrative }) {
      const shared = new Set((await vaults.listFor(userId)).filter(isWhole).map(({ id }) => String(id)))
      if (criteria.vault !== undefined && !shared.has(criteria.vault)) throw new Fault('vault.not_found')
      const isShown = ({ vault, operation }: TrailRecord) =>
        isAdministrative(operation) || (vault !== undefined && shared.has(vault))
      const page = await readNewest(trail.directory, { criteria, isShown, before, mostRecords, mostBytes })
      const named = new Set(
        page.records.flatMap(({ vault }) => (vault !== undefined && shared.has(vault) ? [vault] : [])),
      )
      const sealed = await sealedAmong(userId, named)
      const records = page.records.filter(
        ({ vault, operation }) => isAdministrative(operation) || (vault !== undefined && sealed.has(vault)),
      )
      return { records, next: page.next }
    },
  }
}
