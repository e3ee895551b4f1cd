/** How long an import job is valid, in milliseconds. */
export const importJobMs = 86_400_000

/**
 * The kind of the key pair that is made for each import job. Its private half unwraps one imported key and nothing
 * else.
 */
export const importJobKind = 'rsa-3072'
