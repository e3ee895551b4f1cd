import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { metricTable } from '../../../src/monitor/metric-table.ts'
import type { TestAppliance } from '../../support/appliance.ts'
import { askMonitor, metricIn, monitored } from '../../support/monitor.ts'
import { childrenOf } from '../../support/processes.ts'

let appliance: TestAppliance
let port: number

beforeAll(async () => {
  ;({ appliance, port } = await monitored({ http: { workers: 2 }, validator: { enabled: false } }))
})
afterAll(() => appliance.close())

/** Values are at most a second old, and counts from the database 15 seconds. */
async function eventually(check: (text: string) => void): Promise<void> {
  await vi.waitFor(async () => check((await askMonitor(port, '/metrics')).text), { timeout: 60_000, interval: 500 })
}

const calls = (text: string, operation: string, outcome: string): number =>
  metricIn(text, 'strongroom_calls_total', { operation, outcome }) ?? 0

it('calls are counted over all workers, with outcome and time', async () => {
  const client = await appliance.login()
  const { VAULT } = await client.must('POST', '/vault', { groupname: 'Counted', policy: '7' })
  const [{ id }] = VAULT as [{ id: string }]
  for (let at = 0; at < 20; at++)
    await client.must('POST', `/transparent/${id}/encrypt/greeting`, { plaintext: 'aGVsbG8=' })
  const stranger = appliance.client()
  await stranger.post('/auth', { ...appliance.credentials(await appliance.addUser()), passphrase: 'wrong' })
  await stranger.call('GET', '/nothing')
  await eventually((text) => {
    expect(calls(text, 'transparent.encrypt', 'allowed')).toBe(20)
    expect(calls(text, 'auth.login', 'allowed')).toBe(1)
    expect(calls(text, 'auth.login', 'login.refused')).toBe(1)
    expect(calls(text, 'unmatched', 'request.not_found')).toBe(1)
    expect(metricIn(text, 'strongroom_call_duration_seconds_count', { operation: 'transparent.encrypt' })).toBe(20)
    const slowest = { operation: 'transparent.encrypt', le: '10' }
    expect(metricIn(text, 'strongroom_call_duration_seconds_bucket', slowest)).toBe(20)
    const encrypted = { process: 'host', operation: 'encrypt', outcome: 'done' }
    expect(metricIn(text, 'strongroom_token_operations_total', encrypted)).toBe(20)
    expect(metricIn(text, 'strongroom_sessions')).toBe(1)
  })
})

it('every metric of the table is there, in the form that promtool takes', async () => {
  expect((await askMonitor(port, '/metrics')).headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  // The first seal follows the first record a moment later.
  await eventually((text) => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
    const told = [...text.matchAll(/^(strongroom_\w+?)(?:_bucket|_sum|_count)?[{ ]/gm)].map(([, name]) => name)
    // A healthy appliance has no warning.
    const expected = Object.values(metricTable).filter(({ name }) => name !== 'strongroom_warning')
    expect(new Set(told.filter((name) => name !== 'strongroom_warning'))).toEqual(
      new Set(expected.map(({ name }) => name)),
    )
  })
})

it('who asks often has the same answer again, and makes no work', async () => {
  const texts = await Promise.all(Array.from({ length: 40 }, () => askMonitor(port, '/metrics')))
  expect(new Set(texts.map(({ text }) => text)).size).toBe(1)
})

it('no label names a user, a vault, a key, an address or a path', async () => {
  const { text } = await askMonitor(port, '/metrics')
  const values = new Set([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, value]) => `${label}=${value}`))
  for (const value of values)
    expect(value).toMatch(
      /^(operation=[\w.]+|outcome=[\w.]+|le=[\d.+Inf]+|percentile=\d+|worker=\d|process=[a-z-]+\d?|kind=\w+|check=[a-z]+|folder=[a-z]+|certificate=[a-z-]+|version=[\w.-]+|warning=[\w.-]+)$/,
    )
})

it('a worker that ends takes no count with it', async () => {
  const worker = childrenOf(appliance.pid, 'strongroomd: worker 1')
  await eventually((text) => expect(calls(text, 'transparent.encrypt', 'allowed')).toBe(20))
  for (const pid of worker) process.kill(pid, 'SIGKILL')
  await eventually((text) => {
    expect(metricIn(text, 'strongroom_process_restarts_total', { process: 'worker-1' })).toBe(1)
    expect(metricIn(text, 'strongroom_process_up', { process: 'worker-1' })).toBe(1)
    expect(calls(text, 'transparent.encrypt', 'allowed')).toBe(20)
  })
  const client = await appliance.login()
  for (let at = 0; at < 10; at++) await client.must('GET', '/vault')
  await eventually((text) => {
    expect(calls(text, 'auth.login', 'allowed')).toBe(2)
    expect(calls(text, 'transparent.encrypt', 'allowed')).toBe(20)
  })
})
