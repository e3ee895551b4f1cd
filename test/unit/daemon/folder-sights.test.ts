import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createFolderSights } from '../../../src/daemon/monitor/folder-sights.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

it('a disk that stands still keeps no look waiting, and is looked at again when it goes on', async () => {
  const directory = givenDirectory()
  const sights = createFolderSights({ audit: { directory }, store: {}, hsm: {} } as unknown as Config)
  expect(await sights.trailFault()).toBeUndefined()
  // What writes to a named pipe waits in the kernel until it is read, as for a disk that does not answer.
  const pipe = join(directory, `.monitor-${process.pid}`)
  execFileSync('mkfifo', [pipe])
  expect(await Promise.all([sights.trailFault(), sights.trailFault()])).toEqual(['ETIMEDOUT', 'ETIMEDOUT'])
  expect((await sights.look()).map(({ folder }) => folder)).toEqual(['audit', 'temporary'])
  const [, fault] = await Promise.all([readFile(pipe), sights.trailFault()])
  expect(fault).toBeUndefined()
  expect(await sights.trailFault()).toBeUndefined()
})
