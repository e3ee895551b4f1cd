import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'

const config = resolve(import.meta.dirname, '../../../config')
export const rulesFile = resolve(config, 'prometheus/strongroom.rules.yml')
export const scrapeFile = resolve(config, 'prometheus/scrape.yml')

const dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).optional() })),
})

export interface Alert {
  readonly name: string
  readonly expression: string
  readonly severity: string
}

/** The alert rules. */
export function alertsOf(): Alert[] {
  const text = readFileSync(rulesFile, 'utf8')
  return text
    .split('- alert: ')
    .slice(1)
    .map((rule) => ({
      name: /^\w+/.exec(rule)?.[0] ?? '',
      expression: /expr: >-\n\s+(.*)/.exec(rule)?.[1] ?? '',
      severity: /severity: (\w+)/.exec(rule)?.[1] ?? '',
    }))
}

/** The queries of Grafana to Prometheus, with values for its variables. */
export function panelsOf(): { readonly title: string; readonly expression: string }[] {
  const { panels } = dashboard.parse(JSON.parse(readFileSync(resolve(config, 'grafana/strongroom.json'), 'utf8')))
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '10s'),
    })),
  )
}

export function expressionsOf(): string[] {
  return [...alertsOf(), ...panelsOf()].map(({ expression }) => expression)
}

export function metricsIn(expression: string): string[] {
  return expression.match(/\bstrongroom_\w+/g) ?? []
}
