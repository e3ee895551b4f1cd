import type { Command } from 'commander'
import { AuditHeadTable } from '../../audit/records.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader } from '../../store/store.ts'
import { withToken } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, table, type Answer } from '../output/command-answer.ts'
import { usageOf, wordsOf } from './kek-records.ts'
import { pepperUsage, pepperWords } from './pepper-usage.ts'
import { countOlder, countSealedRows } from './resealing.ts'
import { agreedStatus, kekOf, type RootVersion, rootVersionsOf } from './root-versions.ts'

const help = `
New keys go under the newest version of each; an older one stays for what it still protects. This command also
tells running token hosts of new versions.

Example:
  strongroom root-keys list`

export function addRootKeysList(rootKeys: Command): void {
  rootKeys
    .command('list')
    .description('list every version of the root keys in the token, and what each still protects')
    .addHelpText('after', help)
    .action(answering(list))
}

async function list(invocation: Invocation): Promise<Answer> {
  return withToken(invocation, loadConfig(invocation.config), async ({ store: { read }, token: { hsm } }) => {
    const versions = rootVersionsOf(await agreedStatus(hsm))
    const olderRows = await rowsOfOlderSeals(read, hsm, versions)
    const listed = await Promise.all(
      versions.map(async (one) => ({ one, ...(await protectedBy(read, one, olderRows)) })),
    )
    return {
      json: listed.map(({ one, protects }) => ({ ...one, protects })),
      lines: [
        ...table([['ROOT KEY', 'VERSION', '', 'PROTECTS'], ...listed.map(({ one, words }) => row(one, words))]),
        ...weaknesses(versions),
      ],
    }
  })
}

function row({ role, version, newest }: RootVersion, words: readonly string[]): string[] {
  return [role, `v${version}`, newest ? 'newest' : '', words.length === 0 ? 'nothing' : words.join(', ')]
}

function weaknesses(versions: readonly RootVersion[]): string[] {
  const weak = versions.flatMap(({ label, lacks, readable }) => {
    const words = [...lacks, ...(readable ? ['lets keys out readable'] : [])]
    return words.length === 0 ? [] : [`  ${label} ${words.join(', ')}`]
  })
  return weak.length === 0 ? [] : ['', 'Weak against anyone who has the PIN:', ...weak]
}

/** The number of rows with older seals. Reads every row only if the seal has several versions. */
async function rowsOfOlderSeals(
  reader: Reader,
  hsm: Pick<Hsm, 'sealAnew'>,
  versions: readonly RootVersion[],
): Promise<number> {
  return versions.some(({ role, newest }) => role === 'seal' && !newest) ? countOlder(reader, hsm) : 0
}

async function protectedBy(
  reader: Reader,
  { role, version, newest }: RootVersion,
  olderRows: number,
): Promise<{ readonly protects: object; readonly words: readonly string[] }> {
  const kek = kekOf({ role, version })
  if (kek !== undefined) {
    const usage = await usageOf(reader, [kek])
    return { protects: usage, words: wordsOf(usage).map(({ what }) => what) }
  }
  switch (role) {
    case 'seal': {
      const rows = newest ? (await countSealedRows(reader)) - olderRows : olderRows
      return { protects: { rows }, words: rows === 0 ? [] : [count(rows, 'row')] }
    }
    case 'pepper': {
      const usage = await pepperUsage(reader, version)
      return { protects: usage, words: pepperWords(usage).map(({ what }) => what) }
    }
    case 'audit': {
      const chains = newest ? await reader.countBy(AuditHeadTable, {}) : 0
      const words = newest ? `${count(chains, 'chain')} of the audit trail` : 'the trail until then, by its public half'
      return { protects: { chains }, words: [words] }
    }
    case 'backup-seal':
      return { protects: {}, words: ['backups that were taken out, which cannot be counted'] }
    default:
      return { protects: {}, words: [] }
  }
}
