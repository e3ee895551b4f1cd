import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openKeeperState } from '../../../src/hsm/keeper/keeper-state.ts'

it('names the file that another process has open, and its setting', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'keeper-')), 'keeper.sqlite')
  const first = openKeeperState(path)
  expect(() => openKeeperState(path)).toThrow(
    `Another process has ${path} open (hsm.keeper.state): end the other keeper, or the program that reads the file.`,
  )
  first.close()
  openKeeperState(path).close()
})
