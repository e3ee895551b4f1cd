/** One sentence each, under a key that clients may know it by; for example `passphrase_weak`. */
export type Sentences = Readonly<Record<string, string>>

/** What somebody who has just logged in should know (`CALLINFO.audit`; spec: Session / login result). */
export interface Advice {
  /** Breaks a rule of the site now. */
  readonly violations: Sentences
  /** Will break one soon, or looks odd. */
  readonly warnings: Sentences
}

/** All of it together; of two sentences under one key the later counts. */
export function gathered(parts: readonly Partial<Advice>[]): Advice {
  return {
    violations: Object.assign({}, ...parts.map(({ violations }) => violations)),
    warnings: Object.assign({}, ...parts.map(({ warnings }) => warnings)),
  }
}
