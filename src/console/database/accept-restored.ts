import type { Command } from 'commander'
import { closeCounts } from '../../features/transparent/count-closing.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { count } from '../output/command-answer.ts'

const help = `
After a backup of the database was restored: rows that changed since the backup are older than what this
appliance has seen, and are refused until you say that it was you. All sessions end. One-time passwords that were
used stay used. No version of an AES-GCM key that is there encrypts any more, because its count went back: the next
encryption makes a new one. What was changed since the backup is undone with it: look at the audit trail for
members that were removed, users that were disabled and keys that were restricted since, and do it again.

Example:
  strongroom database accept-restored`

export function addDatabaseAcceptRestored(database: Command): void {
  database
    .command('accept-restored')
    .description('Accepts a database that is older than what this appliance has seen.')
    .addHelpText('after', help)
    .action(
      answering(async (invocation) => {
        const { ended, closed, broken } = await withAppliance(
          invocation,
          ({ token, change, services: { sessions, users } }) =>
            change('database.accept-restored', 'database', async (commit) => {
              const everybody = await users.list()
              // First, so that rows of the past can be changed, sessions among them.
              await token.hsm.acceptRestored()
              return commit(async (tx) => {
                let ended = 0
                for (const { id } of everybody) ended += await sessions.endOthers(tx, id)
                return { ended, ...(await closeCounts(token.hsm, tx)) }
              })
            }),
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
