import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  type CountlessVersion,
  findKeyById,
  findVersion,
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
  readonly commit: <T>(versions: number, work: (tx: Tx) => Promise<T>) => Promise<T>
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
  const left: Left[] = []
  let moved = 0
  let after = { keyId: 0, version: 0 }
  const vaultKeys = createSealedVaultKeys({ read: pass.reader })
  for (;;) {
    const page = await findVersionsUnder(pass.reader, keks, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return { moved, left: left.map(({ from, reason }) => ({ ...idOf(from), reason })) }
    after = idOf(last)
    let rows: readonly KeyVersion[] = page
    while (rows.length > 0) {
      const outcomes = await Promise.all(rows.map((version) => rewrapOne(pass, vaultKeys, version, keks)))
      left.push(...outcomes.filter((outcome) => 'reason' in outcome))
      const movable = outcomes.filter((outcome) => 'to' in outcome)
      const overtaken = movable.length === 0 ? [] : await replaceAll(pass, movable)
      moved += movable.length - overtaken.length
      rows = await presentRows(pass.reader, overtaken)
      pass.progress(moved + left.length)
    }
  }
}

/** What is there of rows that were changed. One that is gone, or was edited, would be overtaken for ever. */
async function presentRows(reader: Reader, overtaken: readonly KeyVersion[]): Promise<KeyVersion[]> {
  const found = await Promise.all(overtaken.map(({ keyId, version }) => findVersion(reader, keyId, version)))
  return found.filter((row) => row !== null)
}

const idOf = ({ keyId, version }: KeyVersion) => ({ keyId, version })

interface Renewed {
  readonly key: TransparentKey
  readonly from: KeyVersion
  readonly to: CountlessVersion
}

/** Resolves to the rows that were changed meanwhile, which stay. With the commit the keeper refuses the old records. */
function replaceAll({ hsm, commit }: RewrapPass, renewed: readonly Renewed[]): Promise<KeyVersion[]> {
  return commit(renewed.length, async (tx) => {
    const overtaken: KeyVersion[] = []
    for (const { key, from, to } of renewed)
      if (await replaceVersion(tx, from, to)) raiseAfter(hsm, tx, { record: versionRecord(key, to), seal: to.seal })
      else overtaken.push(from)
    return overtaken
  })
}

/** The rewrapped version, or the reason why it stays as it is. Reads a row again that was changed since it was read. */
async function rewrapOne(
  pass: RewrapPass,
  vaultKeys: Pick<SealedVaultKeys, 'of'>,
  from: KeyVersion,
  keks: readonly string[],
): Promise<Renewed | Left> {
  try {
    return await retryOvertaken(async (isAgain) => {
      const present = isAgain ? await findVersion(pass.reader, from.keyId, from.version) : from
      return renewed(pass, vaultKeys, present ?? from, keks)
    })
  } catch (error) {
    // An old row that was put back stays, and does not stop the others.
    if (!(error instanceof Fault) || !refusals.includes(error.code)) throw error
    return { from, reason: error.detail ?? error.code }
  }
}

interface Left {
  readonly from: KeyVersion
  readonly reason: string
}

const refusals: readonly string[] = ['hsm.seal_broken', 'hsm.rejected', 'hsm.outdated']

async function renewed(
  { reader, hsm }: RewrapPass,
  vaultKeys: Pick<SealedVaultKeys, 'of'>,
  from: KeyVersion,
  keks: readonly string[],
): Promise<Renewed | Left> {
  const key = await findKeyById(reader, from.keyId)
  if (key === null) return { from, reason: 'its key is missing' }
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
}
