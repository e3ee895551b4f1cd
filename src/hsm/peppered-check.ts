/**
 * The stored check value of a secret: HMAC-SHA-256 by a version of the token's pepper, for pass phrases after a nonce.
 * It begins with the version in four bytes, except for version 1, which was the only one in earlier releases.
 */
export interface PepperedCheck {
  readonly version: number
  /** Everything after the version. */
  readonly rest: Buffer
}

const versionBytes = 4

/** The bytes that are stored. */
export function writeCheck({ version, rest }: PepperedCheck): Buffer {
  if (version === 1) return rest
  const prefix = Buffer.alloc(versionBytes)
  prefix.writeUInt32BE(version)
  return Buffer.concat([prefix, rest])
}

/** The newest of the check values of one secret by all versions. */
export function newestOf(checks: readonly Buffer[]): Buffer {
  const [newest] = checks
  if (newest === undefined) throw new TypeError('there is always a pepper')
  return newest
}

/**
 * Undefined unless `rest` has one of these lengths. No two of them may differ by four, so that each check value has one
 * reading.
 */
export function readCheck(check: Buffer, ...lengths: readonly number[]): PepperedCheck | undefined {
  if (lengths.includes(check.length)) return { version: 1, rest: check }
  const rest = check.subarray(versionBytes)
  if (!lengths.includes(rest.length)) return undefined
  const version = check.readUInt32BE()
  return version > 1 ? { version, rest } : undefined
}
