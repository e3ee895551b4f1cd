import { hasEarlierKeys, takeOverKeys, type KeyTakeover } from '../daemon/earlier-key-rows.ts'
import { takeOverRows } from '../daemon/unsealed-rows.ts'
import type { TokenPlace } from './console-context.ts'
import { count } from './output/command-answer.ts'
import { createProgress } from './output/progress.ts'
import type { Terminal } from './output/terminal.ts'
import { agreedStatus } from './root-keys/root-versions.ts'

/** What an earlier release left and is taken over now. */
export interface Takeover extends KeyTakeover {
  /** Of people and vaults. */
  readonly sealedRows: number
}

/** Takes over the rows of an earlier release, and ends the takeover for good. After an interruption, call it again. */
export async function takeOver({ store, token: { hsm } }: TokenPlace, terminal: Terminal): Promise<Takeover> {
  const sealedRows = await takeOverRows(store, hsm, createProgress(terminal, 'Sealing the earlier rows'))
  // Makes running processes notice new root keys, so that earlier backups are wrapped by the newest.
  if (await hasEarlierKeys(store.read)) await agreedStatus(hsm)
  const keys = await takeOverKeys(store, hsm, createProgress(terminal, 'Taking over the earlier keys'))
  await hsm.endTakeover()
  return { sealedRows, ...keys }
}

/** For the record of the command. */
export function changesOf({ sealedRows, keys, vaults }: Takeover): string[] {
  return [
    ...(sealedRows > 0 ? [`${count(sealedRows, 'row')} sealed`] : []),
    ...(keys + vaults > 0 ? [`${count(keys, 'key')} and those of ${count(vaults, 'vault')} taken over`] : []),
  ]
}

/** For people, as rows of a table. */
export function takeoverRows({ sealedRows, keys, vaults }: Takeover): string[][] {
  return [
    ...(sealedRows === 0 ? [] : [['  sealed', `${sealedRows} earlier`]]),
    ...(keys + vaults === 0
      ? []
      : [['  taken over', `${count(keys, 'earlier key')}, and those of ${count(vaults, 'vault')}`]]),
  ]
}

/** What bore no good seal before either. */
export function describeLeft({ left }: Takeover): string[] {
  if (left.length === 0) return []
  return ['', 'Not taken over, for the rows were altered outside Strongroom:', ...left.map((row) => `  ${row}`)]
}
