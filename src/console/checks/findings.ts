import type { Judgement } from '../../monitor/judgement.ts'
import type { Config } from '../../config/schema.ts'
import type { Invocation } from '../invocation.ts'

/** One line of `strongroom doctor`. */
export interface Finding {
  /** The checked part; `subject` in the JSON answer. */
  readonly topic: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** The observed state. */
  readonly detail: string
  /** Advice to the operator; absent if the state is `ok`. */
  readonly remedy?: string
}

/**
 * Checks one part of the appliance and changes nothing; `earlier` has the findings of the checks before it. An
 * exception that it throws becomes a problem.
 */
export interface Check {
  readonly topic: string
  readonly run: (
    config: Config,
    invocation: Invocation,
    earlier: readonly Finding[],
  ) => Promise<readonly Finding[]> | readonly Finding[]
}

/** Makers of findings for one check. */
export function findingsOf(topic: string) {
  return {
    ok: (detail: string): Finding => ({ topic, state: 'ok', detail }),
    warning: (detail: string, remedy: string): Finding => ({ topic, state: 'warning', detail, remedy }),
    problem: (detail: string, remedy: string): Finding => ({ topic, state: 'problem', detail, remedy }),
    judged: ({ state, detail, remedy }: Judgement): Finding =>
      state === 'ok' ? { topic, state, detail } : { topic, state, detail, remedy },
  }
}
