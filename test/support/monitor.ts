import { request } from 'node:http'
import { freePort, TestAppliance, type Overrides, type RunOptions } from './appliance.ts'

export interface MonitorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A separate appliance with its monitor. */
export async function monitored(
  overrides: Overrides = {},
  options: RunOptions = {},
): Promise<{ readonly appliance: TestAppliance; readonly port: number }> {
  const port = await freePort()
  const monitor = { enabled: true, host: '127.0.0.1', port }
  return { appliance: await TestAppliance.own({ ...overrides, monitor }, options), port }
}

/** Calls the monitor, on a new connection. */
export function askMonitor(port: number, path: string, method = 'GET'): Promise<MonitorAnswer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    call.on('error', reject)
    call.end()
  })
}

/** The value of a metric under exactly these labels; undefined where there is none. */
export function metricIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .toSorted()
    .join(',')
  for (const line of text.split('\n')) {
    const [, found, given = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (found === name && given.split(',').filter(Boolean).toSorted().join(',') === wanted) return Number(value)
  }
  return undefined
}
