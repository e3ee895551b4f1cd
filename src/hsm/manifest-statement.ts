/** Hex SHA-256. */
export const manifestHashForm = /^[0-9a-f]{64}$/

/**
 * The text that the keeper signs: the operator made a backup of the appliance with this manifest. Its beginning differs
 * from statements on audit chains (`audit-end.ts`) and import jobs, which the same key signs, so that none can be taken
 * for another.
 * @param manifest Hex SHA-256 of the manifest.
 * @param key Identifies the signing key: see `keyId`.
 */
export function manifestStatement(manifest: string, at: number, key: string): string {
  return JSON.stringify({ backup: 1, manifest, at, key })
}
