import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endDaemon, freePort, startDaemon, TestAppliance } from '../../support/appliance.ts'
import { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { eventually } from '../../support/fault-kit.ts'
import { configureBeside, type MachineBeside } from '../../support/machine-beside.ts'
import { askMonitor, metricIn } from '../../support/monitor.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'

const subject = 'audit.heads'
const left = 'second-worker-2'

describe.skipIf(!hasPostgres)('two machines on one database, of which one has the next audit key', () => {
  let database: TestPostgres
  let first: TestAppliance
  let second: MachineBeside
  let daemon: ChildProcess
  let clients: readonly TestClient[]
  const journal: string[] = []

  beforeAll(async () => {
    database = startPostgres()
    first = await TestAppliance.own({
      store: { postgresUrlFile: database.urlFile },
      audit: { sealIntervalMs: 100 },
      monitor: { enabled: true, port: await freePort() },
      warnings: { everyMs: 200 },
    })
    second = await configureBeside(first, 'second', 'second')
    const session = await first.login()
    await leaveChain(session)
    daemon = await startDaemon(second.configFile, journal)
    clients = [session, new TestClient(second.url, first.ca, session.token)]
  }, 120_000)
  afterAll(async () => {
    for (const client of clients) client.close()
    await endDaemon(daemon, 'SIGTERM')
    await first.close()
    database.cleanup()
  })

  /** The second machine runs with two workers for a while, so that a chain is left that no process goes on with. */
  async function leaveChain({ token }: TestClient): Promise<void> {
    const { http, audit } = second.config
    const two = join(audit.directory, '../two-workers.json')
    writeFileSync(two, JSON.stringify({ ...second.config, http: { ...http, workers: 2 } }))
    const before = await startDaemon(two, [])
    await eventually(async () => {
      const client = new TestClient(second.url, first.ca, token)
      await client.must('GET', '/vault')
      client.close()
      return existsSync(join(audit.directory, `${left}.000001.jsonl`)) && sealsIn(second.config, left) > 1
    })
    await endDaemon(before, 'SIGTERM')
  }

  const journals = (): string[] => [first.journal, journal.join('')]
  const linesOf = (part: string): number[] => journals().map((text) => text.split(part).length - 1)
  const monitors = (): number[] => [first.config.monitor.port, second.config.monitor.port]

  const sealsIn = ({ audit }: { audit: { directory: string } }, chain: string): number =>
    readFileSync(join(audit.directory, `${chain}.000001.jsonl`), 'latin1').split('"type":"seal"').length

  /** Has both machines seal this number of times. */
  async function seal(times: number): Promise<void> {
    const seals = () => [sealsIn(first.config, 'worker-1'), sealsIn(second.config, 'second-worker-1')]
    for (let round = 0; round < times; round++) {
      const before = seals()
      for (const client of clients) await client.must('GET', '/vault')
      await eventually(() => seals().every((count, at) => count > (before[at] ?? 0)))
    }
  }

  const warned = async (): Promise<(number | undefined)[]> =>
    Promise.all(
      monitors().map(async (port) =>
        metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_warning', { warning: subject }),
      ),
    )

  it('say so once, in journal, health and metrics, and once when it is over', async () => {
    await seal(2)
    expect(await warned()).toEqual([undefined, undefined])
    expect(await strongroom(first.configFile, ['root-keys', 'rotate', 'audit'])).toMatchObject({ status: 0 })
    await seal(6)
    // The second machine meets the first one's worker and console under the next key.
    expect(linesOf('a head of this audit chain that no seal confirms')).toEqual([1, 2])
    await eventually(async () => (await warned()).every((value) => value === 1))
    for (const port of monitors()) {
      const { status, text } = await askMonitor(port, '/health/ready')
      expect({ status, audit: JSON.parse(text).checks.audit }).toMatchObject({
        status: 200,
        audit: { state: 'warning', detail: expect.stringContaining('no seal confirms') },
      })
    }
    expect(linesOf(`"warning":"${subject}","state":"warning"`)).toEqual([1, 1])
    expect(await strongroom(second.configFile, ['root-keys', 'rotate', 'audit'])).toMatchObject({ status: 0 })
    await seal(3)
    await eventually(async () => (await warned()).every((value) => value === undefined))
    expect(linesOf('a seal confirms the head of this audit chain')).toEqual([1, 2])
    expect(linesOf(`"warning":"${subject}","msg":"the warning is over"`)).toEqual([1, 1])
    expect(linesOf('a head of this audit chain that no seal confirms')).toEqual([1, 2])
  })
  it('find nothing in the trails once both have it, and let the earlier key go', async () => {
    for (const { configFile } of [first, second])
      expect(await strongroom(configFile, ['audit', 'verify'])).toMatchObject({ status: 0 })
    const destroyed = await strongroom(first.configFile, ['root-keys', 'rotate', 'audit', '--destroy-unused', '--yes'])
    expect(destroyed).toMatchObject({ status: 0, stdout: expect.stringContaining('destroyed  strongroom.audit.v1') })
  })

  it('make one version where both are told to rotate', async () => {
    const rotate = ({ configFile }: { readonly configFile: string }) =>
      strongroom(configFile, ['root-keys', 'rotate', 'kek.strict'])
    expect(await rotate(first)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('made       strongroom.kek.strict.v2'),
    })
    expect(await rotate(second)).toMatchObject({ status: 0, stdout: expect.not.stringContaining('made  ') })
  })
})
