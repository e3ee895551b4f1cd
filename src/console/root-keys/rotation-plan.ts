import type { Reader } from '../../store/store.ts'
import { count, table } from '../output/command-answer.ts'
import { isNeeded, type KekUsage, keysUnder, type KeyUnder, usageOf, wordsOf } from './kek-records.ts'
import { kekOf, type RootVersion } from './root-versions.ts'

/** What keeps an older version of a root key. */
export interface OldVersion {
  readonly label: string
  readonly version: number
  readonly usage: KekUsage
  readonly needed: boolean
  readonly keys: readonly KeyToDo[]
}

/** A key with versions that lie below it. */
export interface KeyToDo extends Pick<KeyUnder, 'vaultId' | 'name' | 'versions'> {
  /** Whether its latest version is among them. */
  readonly rotate: boolean
  /** The lowest version that it may keep. */
  readonly trimTo: number
}

/** The older KEKs, each with what there is to do. */
export async function planOf(reader: Reader, versions: readonly RootVersion[]): Promise<OldVersion[]> {
  return Promise.all(
    versions
      .filter(({ newest }) => !newest)
      .flatMap(({ label, role, version }) => {
        const kek = kekOf({ role, version })
        return kek === undefined ? [] : [{ label, version, kek }]
      })
      .map(async ({ label, version, kek }) => {
        const usage = await usageOf(reader, [kek])
        return { label, version, usage, needed: isNeeded(usage), keys: (await keysUnder(reader, kek)).map(toDoOf) }
      }),
  )
}

/** Labels of the older versions, each with all that was made with it, below which nothing lies that is needed. */
export function unusedOf(versions: readonly RootVersion[], plan: readonly OldVersion[]): string[] {
  const needed = new Set(plan.filter((one) => one.needed).map(({ version }) => version))
  return versions.filter(({ newest, version }) => !newest && !needed.has(version)).map(({ label }) => label)
}

function toDoOf({ vaultId, name, versions, latestVersion }: KeyUnder): KeyToDo {
  const last = versions.at(-1) ?? 0
  return { vaultId, name, versions, rotate: last === latestVersion, trimTo: last + 1 }
}

const mostShown = 20

export function describePlan(plan: readonly OldVersion[]): string[] {
  return plan.flatMap(({ label, usage, needed, keys }) => [
    '',
    needed ? `${label} still protects` : `${label} protects nothing that is needed`,
    ...table(wordsOf(usage).map(({ what, remedy = 'goes with it' }) => [`  ${what}`, remedy])),
    ...(keys.length === 0
      ? []
      : ['', ...table([['  VAULT', 'KEY', 'VERSIONS', 'TO DO'], ...keys.slice(0, mostShown).map(keyRow)])]),
    ...(keys.length > mostShown ? [`  and ${count(keys.length - mostShown, 'key')} more: --json lists them all`] : []),
  ])
}

function keyRow({ vaultId, name, versions, rotate, trimTo }: KeyToDo): string[] {
  const [first, last] = [versions[0], versions.at(-1)]
  const range = first === last ? String(first) : `${first} to ${last}`
  return [`  ${vaultId}`, name, range, `${rotate ? 'rotate, ' : ''}rewrap, trim to ${trimTo}`]
}
