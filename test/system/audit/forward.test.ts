import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import { issueClientCertificate } from '../../support/client-certificate.ts'
import { strongroom } from '../../support/console-kit.ts'
import { makePki } from '../../support/pki.ts'
import { SyslogReceiver } from '../../support/syslog-receiver.ts'

const patience = { timeout: 60_000, interval: 100 }

let receiver: SyslogReceiver
let appliance: TestAppliance

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forward-'))
  const pki = makePki(join(folder, 'pki'))
  receiver = new SyslogReceiver(join(folder, 'syslog'), pki, await freePort())
  const syslog = { host: '127.0.0.1', port: receiver.port, ca: pki.ca, ...issueClientCertificate(folder, pki) }
  appliance = await TestAppliance.own({ audit: { forward: { syslog } } })
})
afterAll(async () => {
  await appliance.close()
  await receiver.stop()
})

/** The lines of all events in the trail. */
function events(): string[] {
  const { directory } = appliance.config.audit
  return readdirSync(directory)
    .filter((name) => name.startsWith('worker-') && name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(directory, name), 'latin1').split('\n'))
    .filter((line) => line.includes('"type":"event"'))
}

const textsReceived = (): string[] =>
  receiver.received.flatMap((line) => / audit-record - (\{.*\})$/.exec(line)?.[1] ?? [])

const doctor = async () => {
  const { stdout } = await strongroom(appliance.configFile, ['--json', 'doctor'])
  const found: { subject: string; state: string }[] = JSON.parse(stdout).findings
  return found.filter(({ subject }) => subject === 'audit forwarding').map(({ state }) => state)
}

describe('records that are forwarded', () => {
  it('delay no call while the receiver is away; journal and doctor tell it', async () => {
    const session = await appliance.login()
    await session.must('GET', '/vault')
    await vi.waitFor(() => expect(appliance.journal).toContain('audit records cannot be forwarded'), patience)
    expect(await doctor()).toEqual(['problem'])
    await session.must('GET', '/vault')
  })

  it('arrive over TLS once it is there, each as it was written', async () => {
    await receiver.start()
    await vi.waitFor(() => expect(new Set(textsReceived())).toEqual(new Set(events())), patience)
    expect(receiver.received[0]).toMatch(/^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ strongroom - audit-record - \{"v":1,/)
    const operations = execFileSync('jq', ['-r', '.operation'], { input: textsReceived().join('\n'), encoding: 'utf8' })
    expect(operations.split('\n')).toContain('vault.list')
    expect(await doctor()).toEqual(['ok'])
  })

  it('go on after a crash of the daemon and a restart of the receiver, none left out', async () => {
    const session = await appliance.login()
    for (let calls = 0; calls < 50; calls += 1) await session.must('GET', '/vault')
    await appliance.restart('SIGKILL')
    await receiver.stop()
    const after = await appliance.login()
    for (let calls = 0; calls < 50; calls += 1) await after.must('GET', '/vault')
    await receiver.start()
    await vi.waitFor(() => {
      const received = new Set(textsReceived())
      expect(events().filter((line) => !received.has(line))).toEqual([])
    }, patience)
    expect(events().length).toBeGreaterThan(100)
    const received = textsReceived()
    // Records that may have been sent before a crash are sent again, all others once.
    expect(received.length).toBeLessThan(2 * new Set(received).size)
  })
})
