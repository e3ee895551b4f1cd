import type { ChildProcess } from 'node:child_process'
import { endDaemon, startDaemon, TestAppliance, twoWorkers } from './appliance.ts'
import { TestClient } from './client.ts'
import { configureBeside, type MachineBeside } from './machine-beside.ts'
import { startPostgres } from './postgres.ts'

/** Two daemons of two workers each over one PostgreSQL and one token. */
export interface TwoMachines {
  readonly appliance: TestAppliance
  /** The second machine. */
  readonly beside: MachineBeside
  /** A client of the second machine, with the session of this one if it is given. */
  elsewhere(client?: TestClient): TestClient
  close(): Promise<void>
}

export async function startTwoMachines(): Promise<TwoMachines> {
  const database = startPostgres()
  const appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: database.urlFile } })
  const beside = await configureBeside(appliance, 'second', 'second')
  const second: ChildProcess = await startDaemon(beside.configFile, [])
  const clients: TestClient[] = []
  return {
    appliance,
    beside,
    elsewhere(client) {
      const other = new TestClient(beside.url, appliance.ca, client?.token)
      clients.push(other)
      return other
    },
    async close() {
      for (const client of clients) client.close()
      await endDaemon(second, 'SIGTERM')
      await appliance.close()
      database.cleanup()
    },
  }
}
