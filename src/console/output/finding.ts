import type { Config } from '../../config/schema.ts'
import type { Invocation } from '../invocation.ts'

/** One line of `strongroom doctor`. */
export interface Finding {
  readonly subject: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was seen. */
  readonly detail: string
  /** What to do about it; none where all is well. */
  readonly remedy?: string
}

/** Looks at one part of the appliance and changes nothing. What it throws becomes a problem. */
export interface Check {
  readonly subject: string
  readonly run: (config: Config, invocation: Invocation) => Promise<readonly Finding[]> | readonly Finding[]
}

/** The findings of one check, all under its name. */
export function findingsOf(subject: string) {
  return {
    ok: (detail: string): Finding => ({ subject, state: 'ok', detail }),
    warning: (detail: string, remedy: string): Finding => ({ subject, state: 'warning', detail, remedy }),
    problem: (detail: string, remedy: string): Finding => ({ subject, state: 'problem', detail, remedy }),
  }
}
