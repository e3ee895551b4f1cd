import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestAppliance } from './appliance.ts'

/** The events in the audit trail's files, chain by chain. */
export function eventsOf({ config }: TestAppliance): Record<string, unknown>[] {
  return trailFiles(config.audit.directory).flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type }) => type === 'event'),
  )
}

/** The text of every file of the trail. */
export function trailFiles(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(directory, name), 'utf8'))
}
