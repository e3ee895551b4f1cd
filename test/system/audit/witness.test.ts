import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startCourier } from '../../../src/audit/witness/courier.ts'
import { createSyslogWitness } from '../../../src/audit/witness/syslog-witness.ts'
import { systemClock } from '../../../src/clock.ts'
import { createLog } from '../../../src/log.ts'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import { issueClientCertificate } from '../../support/client-certificate.ts'
import { strongroom } from '../../support/console-kit.ts'
import { readDatabase } from '../../support/database-owner.ts'
import { makePki, type Pki } from '../../support/pki.ts'
import { SyslogReceiver } from '../../support/syslog-receiver.ts'
import { TimeStampAuthority } from '../../support/time-stamp-authority.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

const patience = { timeout: 60_000, interval: 100 }

let folder: string
let pki: Pki
let client: { certificate: string; key: string }
let receiver: SyslogReceiver
let authority: TimeStampAuthority
let appliance: TestAppliance

const doctor = async () => {
  const { stdout } = await strongroom(appliance.configFile, ['--json', 'doctor'])
  const found: { subject: string; state: string; detail: string }[] = JSON.parse(stdout).findings
  return found.filter(({ subject }) => subject === 'audit witness')
}

const verify = async (...args: string[]) => {
  const { status, stdout, stderr } = await strongroom(appliance.configFile, ['--json', 'audit', 'verify', ...args])
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

/** The registry's entry for each chain. */
const registry = () =>
  readDatabase(appliance, (connection) =>
    connection.prepare<[], { chain: string; seq: number }>('SELECT chain, seq FROM audit_heads').all(),
  )

const syslog = () => ({ host: '127.0.0.1', port: receiver.port, ca: pki.ca, ...client })

const stamps = () => join(appliance.config.audit.directory, 'witness-timestamps.jsonl')

beforeAll(async () => {
  folder = givenDirectoryOfFile()
  pki = makePki(join(folder, 'pki'))
  client = issueClientCertificate(folder, pki)
  receiver = new SyslogReceiver(join(folder, 'syslog'), pki, await freePort())
  authority = new TimeStampAuthority(join(folder, 'tsa'))
  const timestamp = { url: await authority.start(), ca: authority.ca, intervalMs: 1_000 }
  appliance = await TestAppliance.own({ audit: { witness: { syslog: syslog(), timestamp } } })
})
afterAll(async () => {
  await appliance.close()
  await receiver.stop()
  authority.stop()
})

function givenDirectoryOfFile(): string {
  return execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
}

describe('a witness of the audit trail', () => {
  it('that cannot be reached stops no call; journal and doctor tell it', async () => {
    await (await appliance.login()).must('GET', '/vault')
    await vi.waitFor(() => expect(appliance.journal).toContain('the audit witness cannot be told'), patience)
    const [syslog] = await doctor()
    expect(syslog).toMatchObject({ state: 'problem', detail: expect.stringContaining(`127.0.0.1:${receiver.port}`) })
    await (await appliance.login()).must('GET', '/vault')
  })

  it('is told over TLS what waited, once it is there', async () => {
    await receiver.start()
    await vi.waitFor(() => {
      const [{ chain, seq } = { chain: '', seq: -1 }] = registry()
      expect(receiver.received.join('\n')).toContain(`[strongroom@32473 chain="${chain}" seq="${seq}" `)
    }, patience)
    for (const line of receiver.received)
      expect(line).toMatch(/^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ strongroom - audit-head \[strong/)
    await vi.waitFor(
      () => expect(appliance.journal).toContain('the audit witness has all signed heads again'),
      patience,
    )
    await vi.waitFor(async () => expect((await doctor()).map(({ state }) => state)).toEqual(['ok', 'ok']), patience)
  })

  it('has time stamps that openssl finds genuine, and that are about the heads', async () => {
    await vi.waitFor(() => expect(readFileSync(stamps(), 'utf8')).toContain('"token"'), patience)
    for (const line of readFileSync(stamps(), 'utf8').trim().split('\n')) {
      const [, heads = '', token = ''] = /^\{"heads":(.*),"token":"(.*)"\}$/.exec(line) ?? []
      expect(authority.verifies(Buffer.from(token, 'base64'), heads)).toBe(true)
      expect(JSON.parse(heads)).toMatchObject([{ chain: 'worker-1' }])
    }
  })

  it('agrees with the trail as long as the trail is unaltered', async () => {
    expect(await verify('--witness', receiver.file, '--witness', stamps())).toMatchObject({
      status: 0,
      sound: true,
      witness: { others: 0, rejected: [] },
    })
  })

  it('is told on where the clock was ahead when it was told last, and is right again', async () => {
    const directory = givenDirectory()
    cpSync(appliance.config.audit.directory, directory, { recursive: true })
    const witness = createSyslogWitness(syslog())
    const file = join(directory, witness.stateFile)
    const state = () => JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...state(), points: {}, sentAt: Date.now() + 10 * 365 * 86_400_000 }))
    const log = createLog({ level: 'fatal', name: 'witness tests' })
    const courier = startCourier({ directory, witness, clock: systemClock, log })
    onTestFinished(() => courier.stop())
    await vi.waitFor(() => expect(state().sentAt).toBeLessThanOrEqual(Date.now()), patience)
  })

  it('whose time stamp is of another authority, or was changed, is not believed', async () => {
    const other = new TimeStampAuthority(join(folder, 'other'))
    const foreign = await verify('--witness', stamps(), '--witness-ca', other.ca)
    expect(foreign).toMatchObject({ status: 1, sound: false })
    expect(foreign.witness.rejected[0].reason).toContain('leads to no trusted authority')
    const changed = join(folder, 'changed.jsonl')
    writeFileSync(changed, readFileSync(stamps(), 'utf8').replace(/"seq":(\d)/, '"seq":1$1'))
    expect((await verify('--witness', changed)).witness.rejected[0].reason).toContain('of something else')
  })

  it('is not a file that holds nothing of this trail', async () => {
    const file = join(folder, 'nothing.log')
    writeFileSync(file, 'nothing\n')
    expect(await verify('--witness', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('holds no head'),
    })
    writeFileSync(file, receiver.received.join('\n').replace(/key="[0-9a-f]{16}"/g, `key="${'0'.repeat(16)}"`))
    expect(await verify('--witness', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('key of this trail'),
    })
  })

  it('shows that trail and database were both put back to yesterday', async () => {
    await appliance.stop()
    const directory = givenDirectory()
    const { directory: source } = appliance.config.audit
    const key = join(source, 'audit-public.pem')
    for (const name of readdirSync(source).filter((name) => name.endsWith('.jsonl') && name.startsWith('worker-1'))) {
      const lines = readFileSync(join(source, name), 'latin1').split('\n')
      const firstSeal = lines.findIndex((line) => line.includes('"type":"seal"'))
      writeFileSync(
        join(directory, name),
        lines
          .slice(0, firstSeal + 1)
          .map((line) => `${line}\n`)
          .join(''),
      )
    }
    const back = ['--directory', directory, '--public-key', key]
    expect(await verify(...back)).toMatchObject({ status: 0, sound: true })
    for (const witness of [[receiver.file], [stamps(), '--witness-ca', authority.ca]]) {
      const { status, sound, chains } = await verify(...back, '--witness', ...witness)
      expect({ status, sound }).toEqual({ status: 1, sound: false })
      expect(chains[0].findings[0]).toMatchObject({ kind: 'truncated', detail: expect.stringContaining('The witness') })
    }
  })

  it('is not told anything by a receiver with a certificate of another CA', async () => {
    await receiver.stop()
    const before = receiver.received.length
    const strangers = mkPki(join(folder, 'strangers'))
    const impostor = new SyslogReceiver(join(folder, 'impostor'), strangers, receiver.port)
    await impostor.start()
    await appliance.restart()
    await (await appliance.login()).must('GET', '/vault')
    await vi.waitFor(
      () => expect(appliance.journal.split('the audit witness cannot be told').length).toBeGreaterThan(2),
      patience,
    )
    expect(impostor.received).toEqual([])
    expect(receiver.received).toHaveLength(before)
    await impostor.stop()
  })
})

/** A separate CA, because certificates of the common one are trusted here. */
function mkPki(directory: string): Pki {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  execFileSync('mkdir', ['-p', directory])
  const [ca, caKey] = [join(directory, 'ca.pem'), join(directory, 'ca.key')]
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...pair, '-keyout', caKey, '-out', ca, '-days', '30', '-subj', '/CN=Strangers')
  return makePki(directory)
}
