import type { Config } from '../../config/schema.ts'
import type { TokenStatus } from '../../hsm/token-status.ts'
import { withStore } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import { countUnder, countUnderOthers } from '../root-keys/kek-records.ts'
import { kekOf, rootVersionsOf } from '../root-keys/root-versions.ts'
import { findingsOf, type Finding } from './findings.ts'

const { warning, problem } = findingsOf('root keys')

/** Compares the KEKs that rows of the database name with the KEKs in the token. */
export async function kekFindings(config: Config, token: TokenStatus): Promise<Finding[]> {
  const versions = rootVersionsOf(token)
  return withStore(config, async ({ read }) => {
    const keks = versions.flatMap((version) => kekOf(version) ?? [])
    const lost = await countUnderOthers(read, keks)
    const readable = versions.filter((version) => version.readable && !version.newest)
    const findings = await Promise.all(
      readable.map(async (version) => {
        const below = await countUnder(read, [kekOf(version) ?? ''])
        return below === 0
          ? warning(
              `nothing lies any longer under ${version.label}, which lets keys out in readable form`,
              'Once no backup that users took needs it: strongroom root-keys rotate kek.backup --destroy-unused',
            )
          : warning(
              `${count(below, 'row')} under ${version.label}, from under which anyone who has the PIN can read keys`,
              `Move them: strongroom root-keys rotate ${version.role}`,
            )
      }),
    )
    if (lost > 0)
      findings.push(
        problem(
          `${count(lost, 'row')} under KEKs that the token does not have`,
          'Restore the token from a backup as old as the database: without its KEK a key cannot be used.',
        ),
      )
    return findings
  })
}
