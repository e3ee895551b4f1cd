import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { backupName } from '../../../src/backup/retention.ts'
import type { Config } from '../../../src/config/schema.ts'
import { createWarningChecks } from '../../../src/daemon/monitor/warning-checks.ts'
import { warningsOf } from '../../../src/daemon/monitor/revocation-warnings.ts'
import type { ApplianceStatus } from '../../../src/daemon/monitor/appliance-status.ts'
import type { WorkerReport } from '../../../src/monitor/worker-report.ts'
import type { Observation } from '../../../src/monitor/observation.ts'
import { givenFolder } from '../../support/backup-kit.ts'

const hourMs = 3_600_000
const startMs = Date.parse('2026-01-01T00:00:00Z')

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: startMs }))
afterEach(() => void vi.useRealTimers())

const config = {
  http: { maxConnections: 1 },
  warnings: { everyMs: 60_000, freeMiB: 1000, certificateDays: 30, tokenPercent: 5, clockMs: 60_000, backupHours: 36 },
} as unknown as Config

/** What is warned of where this is seen, by name and state. */
function given(first: Partial<Observation>, more: Partial<Config> = {}) {
  let seen = first
  const quiet = { workers: [], folders: [], hosts: [], clock: { behindMs: 0, forMs: 0 }, certificateEnds: {} }
  const look = () => Promise.resolve({ seen: { at: Date.now(), ...quiet, ...seen } })
  const checks = createWarningChecks({ ...config, ...more }, { look } as unknown as Pick<ApplianceStatus, 'look'>)
  return async (next: Partial<Observation> = first) => {
    seen = next
    return (await checks()).map(({ name, state }) => `${name} ${state}`)
  }
}

const host = (freeBytes: number) => ({
  name: 'host-1',
  state: 'ready' as const,
  losses: 0,
  room: { kind: 'memory' as const, freeBytes, totalBytes: 1000 },
})

it('ends that no seal confirms, as the worker that looked last says', async () => {
  const worker = (number: number, comparedAt: number, unconfirmed: readonly string[]) => ({
    number,
    isListening: true,
    restarts: 0,
    report: { trail: { comparedAt, unconfirmed }, certificate: {} } as unknown as WorkerReport,
  })
  const told = given({ workers: [worker(1, 2, ['second-worker-1']), worker(2, 1, [])] })
  expect(await told()).toEqual(['audit.heads warning'])
  // The first one has sealed nothing since it was over.
  expect(await told({ workers: [worker(1, 2, ['second-worker-1']), worker(2, 3, [])] })).toEqual([])
})

it('a clock that is set is told once, in either direction; one that goes on is not', async () => {
  const told = given({})
  expect(await told()).toEqual([])
  vi.setSystemTime(startMs + hourMs)
  expect(await told()).toEqual(['clock.set warning'])
  expect(await told()).toEqual([])
  vi.setSystemTime(startMs)
  expect(await told()).toEqual(['clock.set warning'])
  expect(await told({ clock: { behindMs: hourMs, forMs: 1 } })).toEqual(['clock problem'])
})

it('a token without room, as its host tells', async () => {
  const told = given({ hosts: [host(500)] })
  expect(await told()).toEqual([])
  expect(await told({ hosts: [host(40)] })).toEqual(['token.room warning'])
  expect(await told({ hosts: [host(1)] })).toEqual(['token.room problem'])
})

it('certificates near their end; revocation lists are judged by their own setting', async () => {
  const told = given({})
  const soon = startMs + 24 * hourMs
  expect(await told({ certificateEnds: { server: soon, 'client-ca': startMs, 'revocation-list-1': soon } })).toEqual([
    'certificate.server warning',
    'certificate.client-ca problem',
  ])
})

it('backups that the timer does not make any more, and those that cannot be looked at', async () => {
  const directory = givenFolder()
  const told = given({}, { backup: { directory } as unknown as NonNullable<Config['backup']> })
  const withoutJump = async () => (await told()).filter((name) => !name.startsWith('clock'))
  writeFileSync(join(directory, 'other.age'), '')
  expect(await withoutJump()).toEqual(['backup warning'])
  for (const hours of [0, -48]) writeFileSync(join(directory, backupName(startMs - hours * hourMs)), '')
  for (const [hours, expected] of [
    [35, []],
    [37, ['backup warning']],
  ] as const) {
    vi.setSystemTime(startMs + hours * hourMs)
    expect(await withoutJump()).toEqual(expected)
  }
  // What was made two days later by the clock of today.
  vi.setSystemTime(startMs + (48 + 4 * 36) * hourMs)
  expect(await withoutJump()).toEqual(['backup problem'])
  rmSync(directory, { recursive: true })
  expect(await withoutJump()).toEqual(['backup warning'])
})

it('each CA whose revocation lists need attention has one warning, with a short name that stays', () => {
  const list = `The revocation list of CN=${'x'.repeat(300)}`
  const ending = `${list} expires on 2026-01-08T00:00:00.000Z: fetch a new one before, or its certificates are refused.`
  const ended = `${list} expired on 2026-01-01T00:00:00.000Z: its certificates are refused.`
  const missing = 'There is no revocation list of CN=Other: what it issued is refused.'
  const [one, other] = warningsOf([ending, ended, missing])
  expect(one).toMatchObject({ name: expect.stringMatching(/^revocation\.[0-9a-f]{8}$/), state: 'problem' })
  expect(one?.detail).toMatch(/fetch a new one[^]* expired on [^]* are refused$/)
  expect(other).toMatchObject({ state: 'problem' })
  expect(warningsOf([ended, ending, missing]).map(({ name, state }) => [name, state])).toEqual([
    [one?.name, 'problem'],
    [other?.name, 'problem'],
  ])
  expect(warningsOf([ending])).toMatchObject([{ name: one?.name, state: 'warning' }])
})
