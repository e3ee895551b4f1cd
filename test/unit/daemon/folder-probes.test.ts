import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createFolderProbes } from '../../../src/daemon/monitor/folder-probes.ts'
import { mayMount } from '../../support/disk.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

const configWith = (sections: object) => ({ store: {}, ...sections }) as unknown as Config

it('the disk of the keeper is looked at where the daemon starts it, and not through the view of another unit', async () => {
  const audit = { directory: givenDirectory() }
  const seen = async (spawn: boolean) => {
    const hsm = { spawn, sockets: [], keeper: { state: join(givenDirectory(), 'keeper.sqlite') } }
    return (await createFolderProbes(configWith({ audit, hsm })).look()).map(({ folder }) => folder)
  }
  expect(await seen(true)).toEqual(['audit', 'keeper', 'temporary'])
  expect(await seen(false)).toEqual(['audit', 'temporary'])
})

it.skipIf(!mayMount)('the disk of backups has room where only the daemon may not write to it', async () => {
  const [directory, backups] = [givenDirectory(), givenDirectory()]
  execFileSync('mount', ['--bind', backups, backups])
  onTestFinished(() => void execFileSync('umount', [backups]))
  // As ProtectSystem=strict of the daemon's unit has it.
  execFileSync('mount', ['-o', 'remount,bind,ro', backups])
  const probes = createFolderProbes(
    configWith({ audit: { directory }, hsm: { sockets: [] }, backup: { directory: backups } }),
  )
  const rooms = await probes.look()
  expect(rooms.find(({ folder }) => folder === 'backup')?.freeBytes).toBeGreaterThan(0)
})

it('a disk that stands still keeps no look waiting, and is looked at again when it goes on', async () => {
  const directory = givenDirectory()
  const probes = createFolderProbes(configWith({ audit: { directory }, hsm: { sockets: [] } }))
  expect(await probes.trailFault()).toBeUndefined()
  // What writes to a named pipe waits in the kernel until it is read, as for a disk that does not answer.
  const pipe = join(directory, `.monitor-${process.pid}`)
  execFileSync('mkfifo', [pipe])
  expect(await Promise.all([probes.trailFault(), probes.trailFault()])).toEqual(['ETIMEDOUT', 'ETIMEDOUT'])
  expect((await probes.look()).map(({ folder }) => folder)).toEqual(['audit', 'temporary'])
  const [, fault] = await Promise.all([readFile(pipe), probes.trailFault()])
  expect(fault).toBeUndefined()
  expect(await probes.trailFault()).toBeUndefined()
})
