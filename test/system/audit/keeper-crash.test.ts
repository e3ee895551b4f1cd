import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it, vi } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { processesOf } from '../../support/fault-kit.ts'

const appliance = applianceForTests(() =>
  TestAppliance.own({ audit: { sealIntervalMs: 20, sealRecords: 5 } }, { onDisk: true }),
)
let user: TestUser
let client: TestClient

beforeAll(async () => {
  user = await appliance.addUser()
  client = await appliance.login(user)
})

const seals = () => appliance.trail.join('').split('"type":"seal"').length - 1

it('a keeper that is killed while it signs leaves a sound trail, which is sealed again by the next one', async () => {
  const calling = new AbortController()
  const calls = (async () => {
    while (!calling.signal.aborted) await client.must('GET', '/vault')
  })()
  for (let round = 0; round < 4; round += 1) {
    await sleep(300 + round * 7)
    const [keeper] = processesOf(appliance).keeper
    const before = seals()
    process.kill(keeper ?? 0, 'SIGKILL')
    await vi.waitFor(() => expect(processesOf(appliance).keeper).toEqual([expect.not.toBeOneOf([keeper])]), {
      timeout: 60_000,
    })
    await vi.waitFor(() => expect(seals()).toBeGreaterThan(before + 2), { timeout: 60_000 })
  }
  calling.abort()
  await calls
  await appliance.stop('SIGKILL')
  await appliance.restart()
  client.close()
  await (await appliance.login(user)).must('GET', '/vault')
  await appliance.stop()

  const { status, stdout } = await strongroom(appliance.configFile, ['--json', 'audit', 'verify', '--database'])
  const { chains, database } = JSON.parse(stdout)
  expect(chains.flatMap(({ findings }: { findings: unknown[] }) => findings)).toEqual([])
  expect({ status, rows: database.findings }).toEqual({ status: 0, rows: [] })
})
