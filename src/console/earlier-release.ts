import { hasEarlierKeys, takeOverKeys, type KeyTakeover } from '../daemon/key-takeover.ts'
import { takeOverRows } from '../daemon/row-takeover.ts'
import { markEarlier } from '../features/vaults/earlier-destruction.ts'
import type { TokenContext } from './console-context.ts'
import { count } from './output/command-answer.ts'
import { createProgress } from './output/progress.ts'
import type { Terminal } from './output/terminal.ts'
import { agreedStatus } from './root-keys/root-versions.ts'

/** The rows of an earlier release that are taken over now. */
export interface Takeover extends KeyTakeover {
  /** Number of sealed rows of users and vaults. */
  readonly sealedRows: number
}

/**
 * Takes over the rows of an earlier release, and then ends the takeover for good. After an interruption, the next call
 * continues.
 */
export async function takeOver({ store, token: { hsm } }: TokenContext, terminal: Terminal): Promise<Takeover> {
  const sealedRows = await takeOverRows(store, hsm, createProgress(terminal, 'Sealing the earlier rows'))
  // Asking for the status makes running processes notice new root keys, so that earlier backups go under the newest.
  if (await hasEarlierKeys(store.read)) await agreedStatus(hsm)
  const keys = await takeOverKeys(store, hsm, createProgress(terminal, 'Taking over the earlier keys'))
  await markEarlier(store, hsm)
  await hsm.endTakeover()
  return { sealedRows, ...keys }
}

/** The changes, for the command's audit record. */
export function changesOf({ sealedRows, keys, vaults }: Takeover): string[] {
  return [
    ...(sealedRows > 0 ? [`${count(sealedRows, 'row')} sealed`] : []),
    ...(keys + vaults > 0 ? [`${count(keys, 'key')} and those of ${count(vaults, 'vault')} taken over`] : []),
  ]
}

/** The changes, as rows of a table for people. */
export function takeoverRows({ sealedRows, keys, vaults }: Takeover): string[][] {
  return [
    ...(sealedRows === 0 ? [] : [['  sealed', `${sealedRows} earlier`]]),
    ...(keys + vaults === 0
      ? []
      : [['  taken over', `${count(keys, 'earlier key')}, and those of ${count(vaults, 'vault')}`]]),
  ]
}

/** Lines about rows that were not taken over, because their seals were already broken. */
export function describeLeft({ left }: Takeover): string[] {
  if (left.length === 0) return []
  return ['', 'Not taken over, for the rows were altered outside Strongroom:', ...left.map((row) => `  ${row}`)]
}
