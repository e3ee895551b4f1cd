import type { LoginAnswer } from '../interface/calls.ts'

type Audit = LoginAnswer['audit']
/** Sentences of the appliance, by their names in the login's answer. */
export type Sentences = Readonly<Record<string, string>>

/** Messages of the appliance at the login. */
export interface Told {
  readonly advice: Sentences
  /** The pass phrase is older than the appliance allows. */
  readonly isOverdue: boolean
}

export const nothingTold: Told = { advice: {}, isOverdue: false }

/**
 * Sorts the audit messages of a login. Messages about the pass phrase are left out where the page asks for a new one.
 */
export function toldBy({ violations, warnings }: Audit): Told {
  const { passphrase_old: old, passphrase_change: asked, ...others } = byName(violations)
  const advice = { ...others, ...byName(warnings) }
  const isOverdue = old !== undefined
  return { advice: isOverdue || asked !== undefined ? withoutPassphrase(advice) : advice, isOverdue }
}

/** The messages except those about the pass phrase: it was changed, or the person postponed that. */
export const withoutPassphrase = (advice: Sentences): Sentences =>
  Object.fromEntries(Object.entries(advice).filter(([name]) => !name.startsWith('passphrase_')))

const byName = (sentences: Audit['violations' | 'warnings']): Sentences => (Array.isArray(sentences) ? {} : sentences)
