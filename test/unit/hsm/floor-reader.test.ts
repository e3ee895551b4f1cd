import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openFloors } from '../../../src/hsm/keeper/floors.ts'
import { generationOf } from '../../../src/hsm/record-generation.ts'
import { composeRecord, openRecord } from '../../../src/hsm/record-layouts.ts'
import { openFloorReader } from '../../../src/hsm/server/floor-reader.ts'

it('a vault is named once when it is deleted, and again where it came back by a restore and is deleted anew', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-floors-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'floors.sqlite')
  const [keeper, host] = [openFloors(path), openFloorReader(path)]
  onTestFinished(() => {
    host.close()
    keeper.close()
  })
  const vault = Buffer.alloc(16, 3)
  const end = generationOf(openRecord(composeRecord('deleted vault', { vault, endedAt: 1 })))
  if (end === undefined) throw new Error('a tombstone without a generation')
  /** What the host hears in a turn of its own. */
  const heard = async () => {
    await Promise.resolve()
    return host.newlyDeleted()
  }
  keeper.raise(end)
  expect([await heard(), await heard()]).toEqual([[vault], []])
  keeper.raise({ subject: Buffer.from('another'), number: 1 })
  expect(await heard()).toEqual([])
  keeper.forget()
  expect(await heard()).toEqual([])
  keeper.raise(end)
  expect(await heard()).toEqual([vault])
})
