import { type ChildProcess } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endDaemon, startDaemon, TestAppliance } from '../../support/appliance.ts'
import { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { configureBeside, type MachineBeside } from '../../support/machine-beside.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'

const patience = { timeout: 60_000, interval: 200 }

describe.skipIf(!hasPostgres)('two machines on one database', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let second: ChildProcess
  const clients: TestClient[] = []

  let other: MachineBeside
  const verify = async (file: string, ...args: string[]) => {
    const { status, stdout, stderr } = await strongroom(file, ['--json', 'audit', 'verify', ...args])
    return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
  }

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ store: { postgresUrlFile: database.urlFile } })
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    other = await configureBeside(appliance, 'second', 'second')
    second = await startDaemon(other.configFile, [])
    const there = new TestClient(other.url, appliance.ca, session.token)
    clients.push(there)
    await there.must('GET', '/vault')
    const chains = async () =>
      (await appliance.store.query<{ chain: string }>('SELECT chain FROM audit_heads', [])).map((row) => row.chain)
    await vi.waitFor(async () => expect((await chains()).toSorted()).toEqual(['second-worker-1', 'worker-1']), patience)
    await session.must('GET', '/vault')
  }, 120_000)
  afterAll(async () => {
    for (const client of clients) client.close()
    await endDaemon(second, 'SIGTERM')
    await appliance.close()
    database.cleanup()
  })

  it('verify each its own trail without alarm, and say whose is not there', async () => {
    expect(await verify(appliance.configFile)).toMatchObject({
      status: 0,
      sound: true,
      absent: [{ machine: 'second', chains: ['second-worker-1'] }],
    })
    expect(await verify(other.configFile)).toMatchObject({ status: 0, absent: [{ machine: '', chains: ['worker-1'] }] })
    const { stdout } = await strongroom(appliance.configFile, ['audit', 'verify'])
    expect(stdout).toContain('Not here: the trail of machine second (second-worker-1)')
    expect(stdout).toContain('Nothing was changed, removed or added.')
  })

  it('are verified together, with the registry, and each is missed where all are wanted', async () => {
    const first = appliance.config.audit.directory
    const both = ['--directory', first, '--directory', other.config.audit.directory, '--all-machines']
    expect(await verify(appliance.configFile, ...both)).toMatchObject({ status: 0, heads: true, absent: [] })
    const alone = await verify(appliance.configFile, '--all-machines')
    expect(alone).toMatchObject({ status: 1, sound: false })
    expect(JSON.stringify(alone.chains)).toContain('missing chain')
    const twice = await verify(appliance.configFile, '--directory', first, '--directory', first)
    expect(twice).toMatchObject({ status: 2, stderr: expect.stringContaining('The chain worker-1 is in') })
  })

  it('still miss a chain of their own', async () => {
    await appliance.stop()
    const chain = join(appliance.config.audit.directory, 'worker-1.000001.jsonl')
    renameSync(chain, `${chain}.away`)
    const report = await verify(appliance.configFile)
    renameSync(`${chain}.away`, chain)
    expect(report).toMatchObject({ status: 1 })
    expect(JSON.stringify(report.chains)).toContain('missing chain')
    await appliance.restart()
  })

  it('let no third start without a name, or with one that is taken, and say which setting to change', async () => {
    const unnamed = await configureBeside(appliance, 'third')
    await expect(startDaemon(unnamed.configFile, [])).rejects.toThrow(/ended with 6[^]*audit\.machine/)
    const taken = await configureBeside(appliance, 'fourth', 'second')
    await expect(startDaemon(taken.configFile, [])).rejects.toThrow(
      /ended with 6[^]*has the name second[^]*audit\.machine/,
    )
    expect(await strongroom(unnamed.configFile, ['apikey', 'create', 'payroll'])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('audit.machine'),
    })
  })

  it('that were there start again', async () => {
    await appliance.restart()
    expect(await verify(appliance.configFile)).toMatchObject({ status: 0, sound: true })
  })
})
