import type { Judgement } from '../../monitor/judgement.ts'
import type { Config } from '../../config/schema.ts'
import type { Invocation } from '../invocation.ts'

/** One line of `strongroom doctor`. */
export interface Finding {
  /** What was looked at; `subject` in the JSON answer. */
  readonly topic: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was seen. */
  readonly detail: string
  /** What to do about it; none where all is well. */
  readonly remedy?: string
}

/**
 * Looks at one part of the appliance and changes nothing; `earlier` are the findings of the checks before it. What it
 * throws becomes a problem.
 */
export interface Check {
  readonly topic: string
  readonly run: (
    config: Config,
    invocation: Invocation,
    earlier: readonly Finding[],
  ) => Promise<readonly Finding[]> | readonly Finding[]
}

/** The findings of one check, all under its name. */
export function findingsOf(topic: string) {
  return {
    ok: (detail: string): Finding => ({ topic, state: 'ok', detail }),
    warning: (detail: string, remedy: string): Finding => ({ topic, state: 'warning', detail, remedy }),
    problem: (detail: string, remedy: string): Finding => ({ topic, state: 'problem', detail, remedy }),
    judged: ({ state, detail, remedy }: Judgement): Finding =>
      state === 'ok' ? { topic, state, detail } : { topic, state, detail, remedy },
  }
}
