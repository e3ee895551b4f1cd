import type { LoginAnswer } from '../interface/calls.ts'

type Audit = LoginAnswer['audit']
/** By the names that the appliance has for them. */
export type Sentences = Readonly<Record<string, string>>

/** What the appliance told the person at the login. */
export interface Told {
  readonly advice: Sentences
  /** The pass phrase is older than the appliance allows. */
  readonly isOverdue: boolean
}

export const nothingTold: Told = { advice: {}, isOverdue: false }

/** What the question for a new pass phrase says is said there alone. */
export function toldBy({ violations, warnings }: Audit): Told {
  const { passphrase_old: old, passphrase_change: asked, ...others } = byName(violations)
  const advice = { ...others, ...byName(warnings) }
  const isOverdue = old !== undefined
  return { advice: isOverdue || asked !== undefined ? withoutPassphrase(advice) : advice, isOverdue }
}

/** What is left of it when the pass phrase has been changed, or is not to be changed at present. */
export const withoutPassphrase = (advice: Sentences): Sentences =>
  Object.fromEntries(Object.entries(advice).filter(([name]) => !name.startsWith('passphrase_')))

const byName = (sentences: Audit['violations' | 'warnings']): Sentences => (Array.isArray(sentences) ? {} : sentences)
