import { hash } from 'node:crypto'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'

/** The version of the archive's layout and of the manifest. A release reads all versions up to its own. */
export const backupFormat = 1

/**
 * The first entry gives the format version, so that a newer one is refused before the rest is read. The last two are
 * written when all hashes are known.
 */
export const entryNames = { format: 'format.json', manifest: 'manifest.json', signature: 'signature.json' } as const

const place = z.strictObject({
  path: z.string(),
  /** The permission bits of the file or folder at `path`. */
  mode: z.number().int(),
  owner: z.string(),
  group: z.string(),
})

const manifest = z.object({
  format: z.number().int(),
  release: z.string(),
  machine: z.string(),
  /** When the snapshot of the database was taken, in milliseconds since the Unix epoch. */
  takenAt: z.number().int(),
  database: z.enum(['sqlite', 'postgres']),
  /** Row counts of the snapshot. */
  counts: z.record(z.string(), z.number()),
  token: z.object({
    label: z.string(),
    serial: z.string(),
    /** Labels of the root keys. */
    roots: z.array(z.string()),
    /** Whether the token's objects are in the backup; those of a hardware token are not. */
    included: z.boolean(),
  }),
  /** Options that left parts out of the backup. */
  leftOut: z.array(z.string()),
  /** Folders and files of the appliance, by their content. */
  places: z.record(z.string(), place),
  files: z.array(z.strictObject({ name: z.string(), size: z.number(), sha256: z.string() })),
})

export type Manifest = z.infer<typeof manifest>
export type Place = z.infer<typeof place>

const signature = z.strictObject({ text: z.string(), signature: z.base64(), signer: z.base64() })

/** The text that the keeper signed, its signature, and the public key (both in base64). */
export type ManifestSignature = z.infer<typeof signature>

export const hashOfManifest = (bytes: Uint8Array): string => hash('sha256', bytes)

export function readManifest(bytes: Uint8Array): Manifest {
  return read(manifest, bytes)
}

export function readSignature(bytes: Uint8Array): ManifestSignature {
  return read(signature, bytes)
}

/** @throws BackupError for a format newer than that of this release */
export function checkFormat(bytes: Uint8Array): void {
  const { format, release } = read(z.object({ format: z.number().int(), release: z.string() }), bytes)
  if (format > backupFormat)
    throw new BackupError(
      `Release ${release} made this backup, which this release does not read: use that one, or a later one.`,
    )
}

function read<T>(shape: z.ZodType<T>, bytes: Uint8Array): T {
  const parsed = shape.safeParse(parsedJson(bytes))
  if (!parsed.success) throw new BackupError('This is not a backup of Strongroom, or a damaged one.')
  return parsed.data
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}
