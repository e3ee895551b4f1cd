import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { checkRecipients } from '../../backup/age-stream.ts'
import { BackupError } from '../../backup/backup-error.ts'
import { writeBackup } from '../../backup/backup-writer.ts'
import { backupFormat, hashOfManifest, type Manifest } from '../../backup/manifest.ts'
import { lockChain, momentMs } from '../../audit/chain-lock.ts'
import { trailUnavailable } from '../../audit/trail-unavailable.ts'
import { errorCodeOf, isFault } from '../../fault.ts'
import { loadConfig } from '../../config/loader.ts'
import { secretOptions, pathsIn } from '../../config/configured-paths.ts'
import { readRelease } from '../../release.ts'
import { recordAt, withToken } from '../console-context.ts'
import type { Invocation } from '../invocation.ts'
import { createProgress } from '../output/progress.ts'
import { agreedStatus } from '../root-keys/root-versions.ts'
import { applianceEntries, type Taken } from './appliance-entries.ts'
import { holdsToken } from './held-token.ts'

export interface MadeBackup {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly manifest: Manifest
  /** The hash of the manifest, which the audit trail records too. */
  readonly manifestHash: string
}

/** Makes a backup of the appliance, which may be running, and records it. */
export async function makeBackup(
  invocation: Invocation,
  target: string,
  recipients: readonly string[],
): Promise<MadeBackup> {
  const startedTick = performance.now()
  const config = loadConfig(invocation.config)
  checkRecipients(recipients)
  const file = resolve(target)
  return withToken(invocation, config, async (context) => {
    const { hsm } = context.token
    const lock = await oneAtATime(config.audit.directory)
    try {
      const status = await agreedStatus(hsm)
      const { label, serial, objects } = status
      const included = holdsToken(config, status)
      const release = readRelease().version
      const parts = {
        configFile: invocation.config,
        config,
        hsm,
        ownKeeper: context.token.ownHost,
        progress: createProgress(invocation.terminal, 'copying pages of the database'),
      }
      let taken: Taken | undefined
      let made: Pick<MadeBackup, 'manifest' | 'manifestHash'> | undefined
      const written = await writeBackup({
        file,
        recipients,
        release,
        entries: readable(applianceEntries(parts, (told) => (taken = told))),
        async close(files) {
          if (taken === undefined) throw new TypeError('the entries of the appliance were not read')
          const manifest: Manifest = {
            format: backupFormat,
            release,
            machine: config.audit.machine ?? hostname(),
            database: config.store.sqlite === undefined ? 'postgres' : 'sqlite',
            ...taken,
            token: { label, serial, roots: [...objects.root], included },
            leftOut: pathsIn(config)
              .map(({ option }) => option)
              .filter((option) => secretOptions.includes(option)),
            files: [...files],
          }
          const bytes = Buffer.from(JSON.stringify(manifest))
          const manifestHash = hashOfManifest(bytes)
          made = { manifest, manifestHash }
          const { text, signature, signer } = await hsm.signManifest(manifestHash)
          const signed = { text, signature: signature.toString('base64'), signer: signer.toString('base64') }
          return { manifest: bytes, signature: Buffer.from(JSON.stringify(signed)) }
        },
        record: () =>
          recordAt(context, {
            operation: 'backup.create',
            target: `${file}, manifest ${made?.manifestHash ?? ''}`,
            startedTick,
          }),
      })
      if (made === undefined) throw new TypeError('the backup was not closed')
      return { file, ...written, ...made }
    } finally {
      lock.release()
    }
  })
}

/** Excludes a second backup at the same time, because both would use the same temporary files. */
async function oneAtATime(directory: string) {
  try {
    return await lockChain(join(directory, 'backup.lock'), 'backup', momentMs)
  } catch (cause) {
    if (!isFault(cause, 'audit.unavailable')) throw trailUnavailable(cause)
    throw new BackupError('Another backup is being made: wait until it has ended.', { cause })
  }
}

/** Turns ENOENT, for files that were renamed or removed while they were read, into a BackupError. */
async function* readable<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* entries
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ENOENT') throw cause
    throw new BackupError(`A file of the appliance went away while it was read (${String(cause)}): try again.`, {
      cause,
    })
  }
}
