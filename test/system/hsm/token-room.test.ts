import { statfsSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { makeToken, type TestToken } from '../../support/token.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'

let hosts: Hosts | undefined
let token: TestToken

afterEach(async () => {
  await hosts?.close()
  token.cleanup()
})

it('a host tells the room on the disk below a software token, which no other process may see', async () => {
  token = await makeToken()
  hosts = await startHosts({ token, hsm: { tokenDirectory: token.tokenDirectory } })
  const [status] = await hosts.hsm.status()
  const { bavail, blocks, bsize } = statfsSync(token.tokenDirectory)
  expect(status?.room).toMatchObject({ kind: 'disk', totalBytes: blocks * bsize })
  // The tolerance is for other tests that write to the same disk.
  expect(Math.abs((status?.room?.freeBytes ?? 0) - bavail * bsize)).toBeLessThan(2 ** 30)
})
