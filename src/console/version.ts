import type { Command } from 'commander'
import { readRelease, releaseName } from '../release.ts'
import { migrations } from '../store/migrations.ts'
import { answering } from './invocation.ts'
import { table } from './output/command-answer.ts'

const help = `
Needs no configuration. The schema is the newest migration of the database that this program knows: a database
with a newer one is of a later release.

Examples:
  strongroom version
  strongroom --version
  strongroom --json version`

export function addVersion(program: Command): void {
  program
    .command('version')
    .description('show version and build')
    .addHelpText('after', help)
    .action(
      answering(() => {
        const release = readRelease()
        const schema = schemaVersion()
        const { version, build, commit } = release
        return Promise.resolve({
          json: { version, build, commit, node: process.versions.node, schema },
          lines: table([
            ['strongroom', releaseName(release)],
            ['commit', commit ?? 'not known'],
            ['Node.js', process.versions.node],
            ['schema', String(schema)],
          ]),
        })
      }),
    )
}

/** The schema version: the last four digits of the newest migration's name. */
function schemaVersion(): number {
  return Number(/\d{4}$/.exec(migrations.at(-1)?.name ?? '')?.[0])
}
