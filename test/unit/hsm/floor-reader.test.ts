import { execFileSync } from 'node:child_process'
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openFloors } from '../../../src/hsm/keeper/floors.ts'
import { generationOf } from '../../../src/hsm/record-generation.ts'
import { composeRecord, openRecord } from '../../../src/hsm/record-layouts.ts'
import { openFloorReader } from '../../../src/hsm/server/floor-reader.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'

const vault = Buffer.alloc(16, 3)
const endOfVault = () => {
  const end = generationOf(openRecord(composeRecord('deleted vault', { vault, endedAt: 1 })))
  if (end === undefined) throw new Error('a tombstone without a generation')
  return end
}

it('a vault is named once when it is deleted, and again where it came back by a restore and is deleted anew', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-floors-'))
  const path = join(directory, 'floors.sqlite')
  const [keeper, host] = [openFloors(path), openFloorReader(path)]
  onTestFinished(() => {
    host.close()
    keeper.close()
  })
  const end = endOfVault()
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

it.skipIf(!mayMount)(
  'a file of another disk that was mounted in its place is opened, also one of the same inode',
  () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const disk = new FullDisk(1024)
    onTestFinished(() => disk.remove())
    const path = join(disk.path, 'floors.sqlite')
    openFloors(path).close()
    const { ino } = statSync(path)
    const host = openFloorReader(path)
    onTestFinished(() => host.close())
    expect(host.newlyDeleted()).toEqual([])

    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=0700', 'tmpfs', disk.path])
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk.path]))
    const keeper = openFloors(path)
    keeper.raise(endOfVault())
    keeper.close()
    expect(statSync(path).ino).toBe(ino)
    vi.advanceTimersByTime(6_000)
    expect(host.newlyDeleted()).toEqual([vault])
  },
)
