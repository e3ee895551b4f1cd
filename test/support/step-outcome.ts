import { Fault } from '../../src/fault.ts'
import type { Outcome } from '../../src/hsm/hsm.ts'

/** The outcome of a step of an attack: `done`, or the code of its fault. */
export async function outcomeOf(step: Promise<unknown>): Promise<string> {
  try {
    await step
    return 'done'
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

/** Outcomes of several steps, one after another, by name. */
export async function outcomesOf(
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Record<string, string>> {
  const outcomes: Record<string, string> = {}
  for (const [name, step] of Object.entries(steps)) outcomes[name] = await outcomeOf(step())
  return outcomes
}

/** The result of a batch of one. */
export function onlyResult([outcome]: readonly Outcome[]): Buffer {
  if (outcome === undefined) throw new Error('a batch without an outcome')
  if ('fault' in outcome) throw outcome.fault
  return outcome.result
}
