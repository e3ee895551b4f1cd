import { createHash } from 'node:crypto'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'

/** Of the folder of entries, and of the manifest. A release reads those up to its own. */
export const backupFormat = 1

/** The first entry says the format, so that a newer one is found before anything of it is read; the last two come when all hashes are known. */
export const entryNames = { format: 'format.json', manifest: 'manifest.json', signature: 'signature.json' } as const

const place = z.strictObject({
  path: z.string(),
  /** Of the folder, where it is one. */
  mode: z.number().int(),
  owner: z.string(),
  group: z.string(),
})

const manifest = z.object({
  format: z.number().int(),
  release: z.string(),
  machine: z.string(),
  /** When the database's snapshot was taken; milliseconds since 1970. */
  takenAt: z.number().int(),
  database: z.enum(['sqlite', 'postgres']),
  /** Rows of the snapshot. */
  counts: z.record(z.string(), z.number()),
  token: z.object({
    label: z.string(),
    serial: z.string(),
    /** Labels of the root keys. */
    roots: z.array(z.string()),
    /** Whether its objects are in the backup: those of a hardware token are not. */
    included: z.boolean(),
  }),
  /** What was left out, by option. */
  leftOut: z.array(z.string()),
  /** Folders and files of the appliance, by what lies there. */
  places: z.record(z.string(), place),
  files: z.array(z.strictObject({ name: z.string(), size: z.number(), sha256: z.string() })),
})

export type Manifest = z.infer<typeof manifest>
export type Place = z.infer<typeof place>

const signature = z.strictObject({ text: z.string(), signature: z.base64(), signer: z.base64() })

/** What the keeper signed of the manifest, in base64 where it is bytes. */
export type ManifestSignature = z.infer<typeof signature>

export const hashOfManifest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export function readManifest(bytes: Uint8Array): Manifest {
  return read(manifest, bytes)
}

export function readSignature(bytes: Uint8Array): ManifestSignature {
  return read(signature, bytes)
}

/** @throws BackupError for a format that this release does not know */
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
