/** What the keeper signs of a backup of the appliance: that the operator made one with this manifest. */
export interface SignedManifest {
  /** One JSON object, byte for byte as it was signed. */
  readonly text: string
  /** 64 bytes, r ‖ s. */
  readonly signature: Buffer
  /** The audit key that signed, DER SubjectPublicKeyInfo. */
  readonly signer: Buffer
}

/** Hex SHA-256. */
export const manifestHashForm = /^[0-9a-f]{64}$/

/**
 * It begins otherwise than a statement on an audit chain (`audit-end.ts`) and one on an import job, which the same key
 * signs: none of them is ever taken for another.
 *
 * @param manifest Hex SHA-256 of the manifest.
 * @param key Which key signs: see `keyId`.
 */
export function manifestStatement(manifest: string, at: number, key: string): string {
  return JSON.stringify({ backup: 1, manifest, at, key })
}
