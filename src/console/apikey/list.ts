import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { listApplicationKeys } from '../../features/auth/application-key-records.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

export function addApplicationKeyList(applicationKey: Command): void {
  applicationKey
    .command('list')
    .description('list all application keys by name; the keys themselves are not stored')
    .addHelpText('after', '\nExample:\n  strongroom apikey list')
    .action(
      answering(async ({ config }) => {
        const keys = await withStore(loadConfig(config), (store) => listApplicationKeys(store.read))
        return {
          json: keys.map(({ id, name, createdAt, revokedAt, responseVersion }) => ({
            id,
            name,
            createdAt,
            revokedAt,
            shapes: responseVersion,
          })),
          lines: table([
            ['ID', 'NAME', 'SINCE (UTC)', 'SHAPES', 'STATE'],
            ...keys.map(({ id, name, createdAt, revokedAt, responseVersion }) => [
              String(id),
              name,
              dateOf(createdAt),
              responseVersion,
              revokedAt === null ? 'in use' : `revoked ${dateOf(revokedAt)}`,
            ]),
          ]),
        }
      }),
    )
}
