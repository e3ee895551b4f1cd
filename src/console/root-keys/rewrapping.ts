import { rewrapVersions, type RewrapOutcome } from '../../features/transparent/rewrap-pass.ts'
import type { ConsoleContext } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import type { Terminal } from '../output/terminal.ts'
import { usageOf } from './kek-records.ts'
import { kekOf, type RootVersion } from './root-versions.ts'

/** The older KEKs whose keys can be unwrapped and wrapped under a newer one. */
export function movableKeks(versions: readonly RootVersion[]): string[] {
  return versions
    .filter(({ newest }) => !newest)
    .filter(({ role, readable }) => role.endsWith('exportable') || (role === 'kek.backup' && readable))
    .flatMap((version) => kekOf(version) ?? [])
}

/** Moves all keys under these KEKs to the newest ones, and shows the progress. */
export async function moveFrom(
  { store, token, change }: ConsoleContext,
  terminal: Terminal,
  keks: readonly string[],
): Promise<RewrapOutcome> {
  const { keyVersions, backups } = await usageOf(store.read, keks)
  const most = keyVersions + backups
  if (most === 0) return { moved: 0, left: [] }
  const outcome = await rewrapVersions(
    {
      reader: store.read,
      hsm: token.hsm,
      commit: (versions, work) =>
        change('root-keys.rewrap', count(versions, 'version'), (commit) => commit((tx) => work(tx))),
      progress: (done) => terminal.overwrite(`${done} of at most ${most} versions of keys`),
    },
    keks,
  )
  terminal.overwrite('')
  return outcome
}
