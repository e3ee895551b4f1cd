import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  type CountlessVersion,
  findKeyById,
  findVersionsUnder,
  type KeyVersion,
  replaceVersion,
  type TransparentKey,
} from './records.ts'
import { createSealedVaultKeys, type SealedVaultKeys } from './sealed-vault-keys.ts'
import { raiseAfter, sealedVersion, versionRecord } from './sealing.ts'

/** What a pass over all versions needs. */
export interface RewrapPass {
  readonly reader: Reader
  readonly hsm: Pick<Hsm, 'rewrapVersion' | 'raise'>
  /** Commits one page of the pass, of this many versions, after its audit record. */
  readonly commit: (versions: number, work: (tx: Tx) => Promise<number>) => Promise<number>
  /** Told the number of finished versions after each page. */
  readonly progress: (done: number) => void
}

export interface RewrapOutcome {
  readonly moved: number
  /** Versions that were left as they are, each with the reason. */
  readonly left: readonly { readonly keyId: number; readonly version: number; readonly reason: string }[]
}

const pageSize = 100

/**
 * Wraps every version under one of these KEKs again, page by page. Finished rows are not selected again, so that an
 * interrupted pass continues where it stopped. Rows that are changed meanwhile are read again.
 */
export async function rewrapVersions(pass: RewrapPass, keks: readonly string[]): Promise<RewrapOutcome> {
  const left: { keyId: number; version: number; reason: string }[] = []
  let moved = 0
  const vaultKeys = createSealedVaultKeys({ read: pass.reader })
  for (;;) {
    const page = await findVersionsUnder(pass.reader, keks, { skip: left.length, limit: pageSize })
    if (page.length === 0) return { moved, left }
    const outcomes = await Promise.all(page.map((version) => rewrapOne(pass, vaultKeys, version, keks)))
    const renewed = outcomes.flatMap((outcome) => ('reason' in outcome ? [] : [outcome]))
    for (const { from, ...outcome } of outcomes)
      if ('reason' in outcome) left.push({ keyId: from.keyId, version: from.version, reason: outcome.reason })
    if (renewed.length > 0)
      moved += await pass.commit(renewed.length, async (tx) => {
        let replaced = 0
        for (const one of renewed) if (await replace(pass, tx, one)) replaced++
        return replaced
      })
    pass.progress(moved + left.length)
  }
}

interface Renewed {
  readonly key: TransparentKey
  readonly from: KeyVersion
  readonly to: CountlessVersion
}

/** False for a row that was changed meanwhile. With the commit the keeper refuses the old record. */
async function replace({ hsm }: RewrapPass, tx: Tx, { key, from, to }: Renewed): Promise<boolean> {
  if (!(await replaceVersion(tx, from, to))) return false
  raiseAfter(hsm, tx, { record: versionRecord(key, to), seal: to.seal })
  return true
}

/** The rewrapped version, or the reason why it stays as it is. */
async function rewrapOne(
  { reader, hsm }: RewrapPass,
  vaultKeys: Pick<SealedVaultKeys, 'of'>,
  from: KeyVersion,
  keks: readonly string[],
): Promise<Renewed | { readonly from: KeyVersion; readonly reason: string }> {
  const key = await findKeyById(reader, from.keyId)
  if (key === null) return { from, reason: 'its key is missing' }
  try {
    const { vaultKey } = await vaultKeys.of(key.vaultId)
    const { kek, blob, backup, seal, generation } = await hsm.rewrapVersion(sealedVersion(key, from), vaultKey)
    const { invocations: _, invocationsSeal: __, ...unchanged } = from
    const to = {
      ...unchanged,
      generation,
      kek,
      blob,
      backupKek: backup?.kek ?? null,
      backupBlob: backup?.blob ?? null,
      seal,
    }
    const stays = [kek, to.backupKek].some((name) => name !== null && keks.includes(name))
    return stays ? { from, reason: 'it stays' } : { key, from, to }
  } catch (error) {
    if (!(error instanceof Fault) || !['hsm.seal_broken', 'hsm.rejected'].includes(error.code)) throw error
    return { from, reason: error.detail ?? error.code }
  }
}
