import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { count } from '../output/command-answer.ts'
import { acceptRestored } from './restored-database.ts'

const help = `
After a backup of the database was restored: rows that changed since the backup are older than what this
appliance has seen, and are refused until you confirm that you restored it. All sessions end, and one-time
links that wait to be opened are gone. One-time passwords that were used stay used. No present version of an
AES-GCM key encrypts any more, because its count went back: the next encryption makes a new one. What was changed
since the backup is undone with it: look in the audit trail for members that were removed, users that were disabled
and keys that were restricted since, and do it again.

Example:
  strongroom database accept-restored`

export function addDatabaseAcceptRestored(database: Command): void {
  database
    .command('accept-restored')
    .description('accept a database that is older than what this appliance has seen')
    .addHelpText('after', help)
    .action(
      answering(async (invocation) => {
        const { ended, closed, broken } = await withAppliance(invocation, (context) =>
          acceptRestored(context, { operation: 'database.accept-restored', target: 'database' }, () =>
            Promise.resolve(),
          ),
        )
        return {
          json: { ended, closed, broken },
          lines: [
            `The database is accepted as it is; ${count(ended, 'session')} ended, ${count(closed, 'version')} of keys closed for encryption.`,
            ...(broken === 0 ? [] : [`${count(broken, 'count')} of versions of keys bear no good seal.`]),
          ],
        }
      }),
    )
}
