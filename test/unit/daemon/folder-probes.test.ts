import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createFolderProbes } from '../../../src/daemon/monitor/folder-probes.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

it('a disk that stands still keeps no look waiting, and is looked at again when it goes on', async () => {
  const directory = givenDirectory()
  const probes = createFolderProbes({ audit: { directory }, store: {}, hsm: { sockets: [] } } as unknown as Config)
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
