import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { freePort, type TestAppliance } from '../../support/appliance.ts'
import { monitored } from '../../support/monitor.ts'
import { childrenOf } from '../../support/processes.ts'
import { alertsOf, panelsOf, rulesFile, scrapeFile } from './expressions.ts'

let appliance: TestAppliance
let port: number
let folder: string
let prometheus: ChildProcess
let address: string

beforeAll(async () => {
  ;({ appliance, port } = await monitored({ http: { workers: 2 } }))
  folder = mkdtempSync(join(tmpdir(), 'strongroom-prometheus-'))
  const listen = `127.0.0.1:${await freePort()}`
  address = `http://${listen}/api/v1`
  prometheus = startPrometheus(listen)
  await vi.waitFor(async () => expect(await valueOf('strongroom_ready')).toBe(1), { timeout: 60_000, interval: 500 })
})
afterAll(async () => {
  prometheus.kill('SIGTERM')
  await once(prometheus, 'exit')
  await appliance.close()
})

/** Starts Debian's Prometheus with our files, with shorter intervals. */
function startPrometheus(listen: string): ChildProcess {
  const scrape = readFileSync(scrapeFile, 'utf8')
    .replace('127.0.0.1:8445', `127.0.0.1:${port}`)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
  const rules = readFileSync(rulesFile, 'utf8').replaceAll(/for: \w+/g, 'for: 1s')
  writeFileSync(join(folder, 'prometheus.yml'), `global: { evaluation_interval: 1s }\n${scrape}`)
  writeFileSync(join(folder, 'strongroom.rules.yml'), rules)
  const options = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${listen}`,
    '--log.level=error',
  ]
  return spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'inherit'] })
}

const answer = z.object({
  status: z.literal('success'),
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
})

async function query(expression: string) {
  const response = await fetch(`${address}/query?${new URLSearchParams({ query: expression }).toString()}`)
  return answer.parse(await response.json()).data.result
}

async function valueOf(expression: string): Promise<number | undefined> {
  const [first] = await query(expression)
  return first && Number(first.value[1])
}

const firing = async (): Promise<string[]> =>
  (await query('ALERTS{alertstate="firing"}')).map(({ metric }) => metric['alertname'] ?? '')

const soon = { timeout: 60_000, interval: 500 }

it('takes the rules as they are', async () => {
  const response = await fetch(`${address}/rules`)
  const text = await response.text()
  for (const { name } of alertsOf()) expect(text).toContain(`"name":"${name}"`)
})

it('answers what the panels of the dashboard ask', async () => {
  const client = await appliance.login()
  const { VAULT } = await client.must('POST', '/vault', { groupname: 'Watched', policy: '7' })
  const [{ id }] = VAULT as [{ id: string }]
  const call = () => client.must('POST', `/transparent/${id}/encrypt/greeting`, { plaintext: 'aGVsbG8=' })
  for (let at = 0; at < 5; at++) await call()
  // These panels are empty where nothing was refused and no warning exists.
  const mayBeEmpty = ['Refused and failed calls', 'Requests that failed']
  for (const { title, expression } of panelsOf()) {
    await vi.waitFor(async () => {
      await call()
      const found = await query(expression)
      if (!mayBeEmpty.includes(title) && !expression.includes('strongroom_warning'))
        expect({ title, found: found.length > 0 }).toEqual({ title, found: true })
    }, soon)
  }
  expect(await valueOf('strongroom_calls_total{operation="transparent.encrypt",outcome="allowed"}')).toBeGreaterThan(4)
})

it('fires when a worker was killed', async () => {
  for (const pid of childrenOf(appliance.pid, 'strongroomd: worker 2')) process.kill(pid, 'SIGKILL')
  await vi.waitFor(async () => expect(await firing()).toContain('StrongroomProcessRestarts'), soon)
})

it('fires when the token is away, and rests when it is back', async () => {
  const { pinFile } = appliance.config.hsm
  renameSync(pinFile, `${pinFile}.away`)
  for (const pid of childrenOf(appliance.pid, 'strongroom-tokend')) process.kill(pid, 'SIGKILL')
  const expected = ['StrongroomNotReady', 'StrongroomTokenAway', 'StrongroomProcessDown']
  await vi.waitFor(async () => expect(await firing()).toEqual(expect.arrayContaining(expected)), soon)
  renameSync(`${pinFile}.away`, pinFile)
  await vi.waitFor(async () => expect(await firing()).not.toContain('StrongroomTokenAway'), soon)
})

it('fires when the daemon is gone', async () => {
  await appliance.stop('SIGKILL')
  await vi.waitFor(async () => expect(await firing()).toContain('StrongroomDown'), soon)
})
