/** How long an import job is good. */
export const importJobMs = 86_400_000

/** The pair that is made for each import job: its private half unwraps one key from outside, and nothing else. */
export const importJobKind = 'rsa-3072'
