import type { TestAppliance } from './appliance.ts'

/** The events in the audit trail, chain by chain. On a shared appliance: those since this test file began. */
export function eventsOf({ trail }: TestAppliance): Record<string, unknown>[] {
  return trail.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type }) => type === 'event'),
  )
}
