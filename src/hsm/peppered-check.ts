/**
 * What is stored of a secret: HMAC-SHA-256 by a version of the token's pepper, for pass phrases behind a nonce. Before
 * it stands that version in four bytes, but for the first one, which releases before had alone.
 */
export interface PepperedCheck {
  readonly version: number
  /** All behind the version. */
  readonly rest: Buffer
}

const versionBytes = 4

export function writeCheck({ version, rest }: PepperedCheck): Buffer {
  if (version === 1) return rest
  const prefix = Buffer.alloc(versionBytes)
  prefix.writeUInt32BE(version)
  return Buffer.concat([prefix, rest])
}

/** Of the checks of one secret by all versions. */
export function newestOf(checks: readonly Buffer[]): Buffer {
  const [newest] = checks
  if (newest === undefined) throw new TypeError('there is always a pepper')
  return newest
}

/** Undefined unless `rest` is of one of these lengths, no two of which may differ by four; each check has one form. */
export function readCheck(check: Buffer, ...lengths: readonly number[]): PepperedCheck | undefined {
  if (lengths.includes(check.length)) return { version: 1, rest: check }
  const rest = check.subarray(versionBytes)
  if (!lengths.includes(rest.length)) return undefined
  const version = check.readUInt32BE()
  return version > 1 ? { version, rest } : undefined
}
