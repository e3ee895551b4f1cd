import type { Command } from 'commander'
import { decimalId } from '../../access/resource.ts'
import { count } from '../output/command-answer.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
The next call of an ended session is refused, and its user logs in again. Ids are those of strongroom session list.

Examples:
  strongroom session end alice
  strongroom session end alice 17`

export function addSessionEnd(session: Command): void {
  session
    .command('end')
    .description('end all sessions of a user, or one')
    .argument('<user>', 'login name')
    .argument('[id]', 'of the session')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string, id: string | undefined) => {
        const subject = id === undefined ? `user ${username}` : `session ${id} of user ${username}`
        const ended = await withAppliance(invocation, ({ change, services: { sessions, users } }) =>
          change('session.end', subject, async (commit) => {
            const user = await users.findMember(username)
            if (id === undefined) return commit((tx) => sessions.endOthers(tx, user.id))
            await sessions.endOne(user.id, decimalId(id), commit)
            return 1
          }),
        )
        return { json: { username, ended }, lines: [`${count(ended, 'session')} of ${username} ended.`] }
      }),
    )
}
