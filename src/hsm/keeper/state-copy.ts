import { rmSync, writeFileSync } from 'node:fs'
import { asOwnerOf } from '../../folder-owner.ts'
import { makePrivate } from '../server/private-file.ts'
import type { KeeperState } from './keeper-state.ts'

/** Without another place: a confined keeper can write only beside its file. */
function besideOf(path: string): string {
  const copy = `${path}.copy`
  rmSync(copy, { force: true })
  return copy
}

/**
 * Copies the keeper's file as it is at one moment. Through memory, because requests may run within a transaction, where
 * SQLite copies no file. 100,000 keys make some 30 MiB, for which the keeper answers nothing else for a tenth of a second.
 */
export function copyState(state: KeeperState, to: string | undefined): void {
  const path = to ?? besideOf(state.name)
  asOwnerOf(path, () => {
    makePrivate(path)
    writeFileSync(path, state.serialize())
  })
}
