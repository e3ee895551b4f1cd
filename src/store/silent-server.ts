import type { ClientBase } from 'pg'
import { errorCodeOf } from '../fault.ts'

/** The server gives up a statement after this time, in milliseconds, and says so. */
export const statementMs = 10_000
/** A server that has answered nothing for this long has gone: its machine or the way to it, without an end of TCP. */
const silenceMs = statementMs + 5_000

/** SQLSTATE of a change that a server refuses because it only answers reads. */
const readOnly = '25006'

export interface SilenceWatch {
  /** Called once no statement may take longer than `statementMs`: migrations may. */
  start(): void
  /** Watches a new connection of the pool. */
  readonly watch: (client: ClientBase & { end(): Promise<void> }) => void
}

/**
 * Ends connections whose server refuses all changes, or does not answer, so that calls are refused in time. TCP alone
 * notices that a machine is gone after a quarter of an hour. `query_timeout` of the driver would return a connection to
 * the pool whose statements the server may still execute.
 */
export function createSilenceWatch(): SilenceWatch {
  let isOn = false
  return {
    start: () => void (isOn = true),
    watch(client) {
      const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
      let waiting = 0
      let timer: NodeJS.Timeout | undefined
      /** Called whenever the server has shown itself, or has to: a statement may wait for earlier ones of its connection. */
      const listenAnew = (): void => {
        clearTimeout(timer)
        timer = isOn && waiting > 0 ? setTimeout(() => void client.end(), silenceMs) : undefined
      }
      const asking = async (...given: unknown[]): Promise<unknown> => {
        if (++waiting === 1) listenAnew()
        try {
          return await ask(...given)
        } catch (error) {
          // After a failover it may lead to the server that was replaced, and the next connection to the present one.
          if (errorCodeOf(error) === readOnly) void client.end()
          throw error
        } finally {
          waiting -= 1
          listenAnew()
        }
      }
      Object.assign(client, { query: asking })
    },
  }
}
