import type { Command } from 'commander'
import { systemClock } from '../../clock.ts'
import { loadConfig } from '../../config/loader.ts'
import { hasExpired } from '../../features/auth/session-liveness.ts'
import { listSessions } from '../../features/auth/session-records.ts'
import type { Store } from '../../store/store.ts'
import { userNamed } from '../../features/users/user.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

export function addSessionList(session: Command): void {
  session
    .command('list')
    .description('list the open sessions of all users, or of one')
    .argument('[user]', 'login name')
    .addHelpText('after', '\nExample:\n  strongroom session list alice')
    .action(
      answering(async ({ config: file }, username: string | undefined) => {
        const config = loadConfig(file)
        const sessions = await withStore(config, async (store) => listSessions(store.read, await idOf(store, username)))
        const open = sessions.filter((one) => !hasExpired(one, config.session, systemClock.now()))
        return {
          json: open,
          lines: table([
            ['ID', 'USER', 'ADDRESS', 'APPLICATION', 'SINCE (UTC)', 'LAST SEEN (UTC)'],
            ...open.map((one) => [
              String(one.id),
              one.username,
              one.address,
              one.application,
              dateOf(one.createdAt),
              dateOf(one.lastSeenAt),
            ]),
          ]),
        }
      }),
    )
}

async function idOf(store: Store, username: string | undefined): Promise<number | undefined> {
  return username === undefined ? undefined : (await userNamed(store.read, username)).id
}
