import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { metricTable } from '../../../src/monitor/metric-table.ts'
import { alertsOf, expressionsOf, metricsIn } from './expressions.ts'

const read = (path: string): string => readFileSync(resolve(import.meta.dirname, '../../..', path), 'utf8')
const page = read('docs/monitoring.md')
const rows = [...page.matchAll(/^\| (.*?) +\|$/gm)].map(([, row = '']) => row.split(/ +\| +/))

it('docs/monitoring.md has a row of each metric, as the code has it, and of no other', () => {
  const documented = rows.filter(([name = '']) => name.startsWith('`strongroom_'))
  const expected = Object.values(metricTable).map(({ name, type, labels, help }) => [
    `\`${name}\``,
    type,
    labels.length === 0 ? '–' : labels.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  expect(documented).toEqual(expected)
})

it('docs/monitoring.md says of each alert what to do', () => {
  const documented = rows.filter(([name = '']) => name.startsWith('`Strongroom'))
  expect(documented.map(([name = '']) => name.slice(1, -1))).toEqual(alertsOf().map(({ name }) => name))
  expect(documented.map(([, severity]) => severity)).toEqual(alertsOf().map(({ severity }) => severity))
  for (const [, , remedy = ''] of documented) expect(remedy.length).toBeGreaterThan(20)
})

it('dashboard and alerts use metrics that there are', () => {
  const known = new Set(
    Object.values(metricTable).flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    ),
  )
  const used = expressionsOf().flatMap(metricsIn)
  expect(used.length).toBeGreaterThan(40)
  expect(used.filter((name) => !known.has(name))).toEqual([])
  expect([...known].filter((name) => !/_(sum|count)$/.test(name) && !used.includes(name))).toEqual([])
})
