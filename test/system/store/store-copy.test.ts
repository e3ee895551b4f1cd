import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { copyStore } from '../../../src/store/store-copy.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

it.runIf(hasPostgres)(
  'PostgreSQL does not end the copying while the copy alone is read, for however long',
  async () => {
    const server = startPostgres()
    onTestFinished(() => server.cleanup())
    const store = await openStore({ postgresUrl: server.url }, tables)
    onTestFinished(() => store.close())
    const to = await openStore({ sqlite: join(givenDirectory(), 'copy.db') }, tables)
    onTestFinished(() => to.close())
    const impatient: Store = {
      ...store,
      transaction: (work, options) =>
        store.transaction(async (tx) => {
          await tx.query('SET LOCAL idle_in_transaction_session_timeout = 500')
          return work(tx)
        }, options),
    }
    // The seals of a large database are checked for minutes.
    const check = () => delay(1_500)
    expect(await copyStore({ tables, from: impatient, to, progress: () => undefined, check })).toBe(0)
  },
)
