import type { TokenContext } from '../console-context.ts'
import { count, table } from '../output/command-answer.ts'
import { isNeeded, type KekUsage, keysUnder, type KeyUnder, rangeOf, usageOf, wordsOf } from './kek-records.ts'
import { chainsOfOthers } from './audit-handover.ts'
import { type PepperUsage, pepperUsage, pepperWords } from './pepper-usage.ts'
import { countOlder } from './resealing.ts'
import { kekOf, type RootVersion } from './root-versions.ts'

/** An older version of a root key, and the reasons to keep it. */
export interface OldVersion {
  readonly label: string
  readonly version: number
  readonly usage: KekUsage | { readonly rows: number } | { readonly chains: number } | PepperUsage
  readonly needed: boolean
  readonly keys: readonly KeyToDo[]
  /** The usage in words, with the remedy for each kind. */
  readonly uses: readonly { readonly what: string; readonly remedy: string | undefined }[]
}

/** A key with versions under it, and the steps for its owner. */
export interface KeyToDo extends Pick<KeyUnder, 'vaultId' | 'name' | 'versions'> {
  /** Whether its latest version is among `versions`, so that it must be rotated. */
  readonly rotate: boolean
  /** The lowest version that the key may keep. */
  readonly trimTo: number
}

/** The older versions, each with the necessary steps. */
export async function planOf(context: PlanContext, versions: readonly RootVersion[]): Promise<OldVersion[]> {
  const plan: OldVersion[] = []
  for (const one of versions.filter(({ newest }) => !newest)) {
    const kek = kekOf(one)
    if (kek !== undefined) plan.push(await planOfKek(context, one, kek))
    if (one.role === 'seal') plan.push(await planOfSeal(context, one))
    if (one.role === 'audit') plan.push(await planOfAudit(context, one))
    if (one.role === 'pepper') plan.push(await planOfPepper(context, one))
  }
  return plan
}

type PlanContext = Pick<TokenContext, 'store' | 'token'>

async function planOfKek({ store }: PlanContext, { label, version }: RootVersion, kek: string): Promise<OldVersion> {
  const usage = await usageOf(store.read, [kek])
  const keys = (await keysUnder(store.read, kek)).map(toDoOf)
  return { label, version, usage, needed: isNeeded(usage), keys, uses: wordsOf(usage) }
}

/** All older versions of the seal are kept or destroyed together, because it is not known which one sealed a row. */
async function planOfSeal({ store, token }: PlanContext, { label, version }: RootVersion): Promise<OldVersion> {
  const rows = await countOlder(store.read, token.hsm)
  const uses = rows === 0 ? [] : [{ what: count(rows, 'row'), remedy: 'run the command again' }]
  return { label, version, usage: { rows }, needed: rows > 0, keys: [], uses }
}

/** The plan for an older audit key. Its signatures are verified with its public key, which remains. */
async function planOfAudit(context: PlanContext, { label, version }: RootVersion): Promise<OldVersion> {
  const chains = await chainsOfOthers(context)
  const uses =
    chains === 0 ? [] : [{ what: `${count(chains, 'chain')} of other machines`, remedy: 'run the command there' }]
  return { label, version, usage: { chains }, needed: chains > 0, keys: [], uses }
}

async function planOfPepper({ store }: PlanContext, { label, version }: RootVersion): Promise<OldVersion> {
  const usage = await pepperUsage(store.read, version)
  const uses = pepperWords(usage)
  return { label, version, usage, needed: uses.length > 0, keys: [], uses }
}

/**
 * Labels of the older versions under which nothing is needed, including those of the roles that were made together with
 * them.
 */
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
  return plan.flatMap(({ label, needed, keys, uses }) => [
    '',
    needed ? `${label} still protects` : `${label} protects nothing that is needed`,
    ...table(uses.map(({ what, remedy = 'goes with it' }) => [`  ${what}`, remedy])),
    ...(keys.length === 0
      ? []
      : ['', ...table([['  VAULT', 'KEY', 'VERSIONS', 'TO DO'], ...keys.slice(0, mostShown).map(keyRow)])]),
    ...(keys.length > mostShown ? [`  and ${count(keys.length - mostShown, 'key')} more: --json lists them all`] : []),
  ])
}

function keyRow({ vaultId, name, versions, rotate, trimTo }: KeyToDo): string[] {
  return [`  ${vaultId}`, name, rangeOf(versions), `${rotate ? 'rotate, ' : ''}rewrap, trim to ${trimTo}`]
}
