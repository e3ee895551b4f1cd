import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { checkNames } from '../../../src/monitor/readiness.ts'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import { FullDisk } from '../../support/disk.ts'
import { expectFault } from '../../support/client.ts'
import { givenFolder } from '../../support/backup-kit.ts'
import { askMonitor, metricIn, monitored } from '../../support/monitor.ts'
import { issueCertificate, makePki } from '../../support/pki.ts'
import { childrenOf } from '../../support/processes.ts'

const readiness = z.object({
  status: z.enum(['ready', 'not_ready', 'stopping']),
  at: z.iso.datetime(),
  checks: z.record(z.enum(checkNames), z.object({ state: z.enum(['ok', 'warning', 'failed']), detail: z.string() })),
})

const ready = async (port: number) => {
  const { status, text } = await askMonitor(port, '/health/ready')
  return { code: status, ...readiness.parse(JSON.parse(text)) }
}

describe('an appliance with two workers and two token hosts', () => {
  let appliance: TestAppliance
  let port: number

  beforeAll(async () => {
    ;({ appliance, port } = await monitored({ http: { workers: 2 } }))
  })
  afterAll(() => appliance.close())

  it('is live and ready, and says so of each check', async () => {
    expect(await askMonitor(port, '/health')).toMatchObject({ status: 200, text: '{\n  "status": "live"\n}\n' })
    await appliance.login()
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000 })
    const { code, status, checks } = await ready(port)
    expect({ code, status }).toEqual({ code: 200, status: 'ready' })
    expect(checks.workers).toEqual({ state: 'ok', detail: '2 of 2 listen' })
    expect(checks.keeper.state).toBe('ok')
    expect(checks.database.state).toBe('ok')
    expect(checks.clock.state).toBe('ok')
    expect(checks.certificates.detail).toMatch(/^the next to end is server, in \d+ days$/)
  })

  it.each(['database', 'keeper'] as const)(
    'is not ready while another file lies in the place of the open one of the %s: what is changed would not be in it',
    async (which) => {
      const { store, hsm } = appliance.config
      const file = String(which === 'database' ? store.sqlite : hsm.keeper?.state)
      const away = `${file}.away`
      renameSync(file, away)
      copyFileSync(away, file)
      await vi.waitFor(
        async () => expect(await ready(port)).toMatchObject({ code: 503, checks: { [which]: { state: 'failed' } } }),
        { timeout: 60_000 },
      )
      renameSync(away, file)
      await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000 })
    },
  )

  it('tells nothing that an operator would not tell a stranger', async () => {
    const { text } = await askMonitor(port, '/health/ready')
    for (const secret of [appliance.directory, appliance.token.tokenUri, '.sock', 'sqlite', '/'])
      expect(text).not.toContain(secret)
  })

  it('tells an administrator the same over the interface, with what the daemon warns of, and others nothing', async () => {
    const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000 })
    const { CALLINFO } = await administrator.must('GET', '/utils/state')
    expect(CALLINFO).toMatchObject({ state: 'ready', version: expect.stringMatching(/^\d+\.\d+\.\d+-build/) })
    const { checks } = await ready(port)
    const told = CALLINFO['checks'] as { name: string; state: string; detail: string }[]
    expect(told.map(({ name }) => name)).toEqual([...checkNames])
    expect(told.find(({ name }) => name === 'certificates')).toEqual({ name: 'certificates', ...checks.certificates })
    expect(CALLINFO['warnings']).toEqual(expect.any(Array))
    const other = await appliance.login(await appliance.addUser(['read', 'createVault', 'audit', 'active']))
    expectFault(await other.get('/utils/state'), 403, 1300)
    expectFault(await appliance.client().get('/utils/state'), 403, 1200)
  })

  it('tells an administrator of a process that has ended, and of the next one', async () => {
    const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
    const stateOfToken = async (): Promise<string | undefined> => {
      const { CALLINFO } = await administrator.must('GET', '/utils/state')
      return (CALLINFO['checks'] as { name: string; state: string }[]).find(({ name }) => name === 'token')?.state
    }
    const [socket = 'none'] = appliance.config.hsm.sockets
    // The next process may be up before the check. It is ended as well, until a check finds none.
    await vi.waitFor(
      async () => {
        for (const host of childrenOf(appliance.pid, socket)) process.kill(host, 'SIGKILL')
        expect(await stateOfToken()).toBe('warning')
      },
      { timeout: 60_000, interval: 100 },
    )
    await vi.waitFor(async () => expect(await stateOfToken()).toBe('ok'), { timeout: 60_000, interval: 300 })
  })

  it('answers a path that is none, and what is no GET', async () => {
    expect(await askMonitor(port, '/api/1.0/vault')).toMatchObject({ status: 404 })
    expect(await askMonitor(port, '/health', 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect(await askMonitor(port, '/health', 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('answers while strangers hold all connections that it keeps', async () => {
    const held = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await sleep(200)
    expect((await askMonitor(port, '/health')).status).toBe(200)
    for (const socket of held) socket.destroy()
  })

  it('is not ready without its keeper, and ready again with the next', async () => {
    await vi.waitFor(async () => expect((await ready(port)).checks.token.state).toBe('ok'), { timeout: 60_000 })
    // A suspended process is soon killed. The next one is suspended as well, until the check reports it.
    await vi.waitFor(
      async () => {
        for (const keeper of childrenOf(appliance.pid, 'strongroom-keeper')) process.kill(keeper, 'SIGSTOP')
        expect(await ready(port)).toMatchObject({ code: 503, checks: { keeper: { state: 'failed' } } })
      },
      { timeout: 60_000, interval: 200 },
    )
    expect((await askMonitor(port, '/health')).status).toBe(200)
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000, interval: 300 })
  })

  it('is not ready while no worker lives', async () => {
    await vi.waitFor(
      async () => {
        // Including the spare worker, which would serve at once, and new workers that start before the check.
        for (const worker of childrenOf(appliance.pid, 'strongroomd:')) process.kill(worker, 'SIGKILL')
        expect(await ready(port)).toMatchObject({ code: 503, checks: { workers: { state: 'failed' } } })
      },
      { timeout: 60_000, interval: 200 },
    )
    // The more of them have ended, the later the next one starts.
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000, interval: 300 })
  })
})

describe('an audit trail on a disk of its own', () => {
  it('is not writable while the disk is full', async () => {
    const disk = new FullDisk()
    onTestFinished(() => disk.remove())
    const { appliance, port } = await monitored({ audit: { directory: join(disk.path, 'audit') } })
    onTestFinished(() => appliance.close())
    await appliance.login()
    // The state before the first record is reported for a second.
    const writing = { state: 'ok', detail: '1 of 1 workers write their chain' }
    await vi.waitFor(async () => expect((await ready(port)).checks.audit).toEqual(writing), { timeout: 60_000 })
    await vi.waitFor(
      async () => {
        // Each time, because a check that had the last block gives it back.
        disk.fill(0)
        expect(await ready(port)).toMatchObject({
          code: 503,
          checks: { audit: { state: 'failed', detail: 'its folder cannot be written to (ENOSPC)' } },
        })
      },
      { timeout: 60_000 },
    )
    disk.free()
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000 })
  })
})

describe('a server certificate that is replaced', () => {
  it('counts from when it is read; one that cannot be used is warned of until it is corrected', async () => {
    const pki = makePki(givenFolder())
    const { appliance, port } = await monitored({
      tls: { certificate: pki.certificate, key: pki.key },
      smartcard: { port: 0, clientCa: pki.ca },
      warnings: { everyMs: 200 },
    })
    onTestFinished(() => appliance.close())
    const endOf = (pem: Buffer) => Date.parse(new X509Certificate(pem).validTo) / 1000
    const metrics = async () => (await askMonitor(port, '/metrics')).text
    const told = async () =>
      metricIn(await metrics(), 'strongroom_certificate_not_after_timestamp_seconds', { certificate: 'server' })
    const certificates = async () => (await ready(port)).checks.certificates
    const patience = { timeout: 60_000, interval: 200 }
    const first = endOf(readFileSync(pki.certificate))
    await vi.waitFor(async () => expect(await told()).toBe(first), patience)
    issueCertificate(pki, 'renewed')
    const renewed = endOf(readFileSync(pki.certificate))
    expect(renewed).not.toBe(first)
    // What the monitor saw serves for a second, and so does a page of metrics: these are new.
    const before = (await ready(port)).at
    await vi.waitFor(async () => expect((await ready(port)).at).not.toBe(before), patience)
    const page = await metrics()
    await vi.waitFor(async () => expect(await metrics()).not.toBe(page), patience)
    expect(await told()).toBe(first)
    process.kill(appliance.pid, 'SIGHUP')
    await vi.waitFor(async () => expect(await told()).toBe(renewed), patience)

    const key = readFileSync(pki.key)
    const { privateKey: otherKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(pki.key, otherKey.export({ type: 'pkcs8', format: 'pem' }))
    process.kill(appliance.pid, 'SIGHUP')
    await vi.waitFor(
      async () =>
        expect(await certificates()).toMatchObject({
          state: 'warning',
          detail: expect.stringContaining('shown the old one'),
        }),
      patience,
    )
    await vi.waitFor(() => expect(appliance.journal).toContain('"warning":"certificate.reload","state":"problem"'))
    writeFileSync(pki.key, key)
    process.kill(appliance.pid, 'SIGHUP')
    const isCorrected = async () => expect((await certificates()).detail).toMatch(/^the next to end is/)
    await vi.waitFor(isCorrected, patience)

    // The listener of smartcards alone shows the old one.
    const ca = readFileSync(pki.ca)
    writeFileSync(pki.ca, 'none')
    process.kill(appliance.pid, 'SIGHUP')
    await vi.waitFor(async () => expect((await certificates()).detail).toContain('shown the old one'), patience)
    writeFileSync(pki.ca, ca)
    process.kill(appliance.pid, 'SIGHUP')
    await vi.waitFor(isCorrected, patience)
  })

  it.each(['X509 ', 'TRUSTED '])('is told of where OpenSSL calls it a %sCERTIFICATE', async (label) => {
    const pki = makePki(givenFolder())
    const named = readFileSync(pki.certificate, 'latin1').replaceAll(' CERTIFICATE', ` ${label}CERTIFICATE`)
    writeFileSync(pki.certificate, named)
    const { appliance, port } = await monitored({ tls: { certificate: pki.certificate, key: pki.key } })
    onTestFinished(() => appliance.close())
    await vi.waitFor(async () => expect(await ready(port)).toMatchObject({ code: 200 }), { timeout: 60_000 })
    expect((await ready(port)).checks.certificates.detail).toMatch(/^the next to end is server/)
  })
})

describe('a token that is away', () => {
  it('is not mended by a restart: the daemon lives, is not ready, and says why', async () => {
    const { appliance, port } = await monitored()
    onTestFinished(() => appliance.close())
    const { config } = appliance
    renameSync(config.hsm.pinFile, `${config.hsm.pinFile}.away`)
    for (const pid of childrenOf(appliance.pid, 'strongroom-tokend')) process.kill(pid, 'SIGKILL')
    await vi.waitFor(
      async () => expect(await ready(port)).toMatchObject({ code: 503, checks: { token: { state: 'failed' } } }),
      { timeout: 60_000, interval: 300 },
    )
    expect((await askMonitor(port, '/health')).status).toBe(200)
    renameSync(`${config.hsm.pinFile}.away`, config.hsm.pinFile)
    await vi.waitFor(async () => expect((await ready(port)).checks.token.state).toBe('ok'), { timeout: 60_000 })
  })
})

describe('a port that another program has', () => {
  it('keeps the appliance from nothing: the journal says so, and the monitor comes when the port is free', async () => {
    const port = await freePort()
    const other = createServer().listen(port, '127.0.0.1')
    const appliance = await TestAppliance.own({ monitor: { enabled: true, port } })
    onTestFinished(() => appliance.close())
    await appliance.login()
    expect(appliance.journal).toContain('correct monitor.host and monitor.port')
    other.close()
    await vi.waitFor(async () => expect((await ready(port)).code).toBe(200), { timeout: 60_000, interval: 500 })
  })
})
