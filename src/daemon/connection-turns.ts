import cluster from 'node:cluster'
import { subscribe } from 'node:diagnostics_channel'
import { Server } from 'node:net'
import { addressOf } from '../access/caller.ts'
import type { Config } from '../config/schema.ts'
import { createTally } from '../http/server/tally.ts'
import type { Log } from '../log.ts'
import { mostConnectionsPerListener } from '../open-files.ts'
import { type AcceptedConnection, onceClosed } from './accepted-connection.ts'
import { createWaitingConnections } from './waiting-connections.ts'

/** A connection as node:cluster gets it. */
interface Accepted extends AcceptedConnection {
  getpeername(peer: { address?: string }): number
}

/** A listening socket of the primary (`TCP` of Node.js), whose connections node:cluster distributes. */
interface Listener {
  onconnection(status: number, accepted?: Accepted): void
  close(...then: unknown[]): void
}

/**
 * Gives the primary's connections to node:cluster as workers take them. node:cluster itself would hold any number, first
 * come, first served: a client that opens them faster than workers take them would make all others wait, and the primary
 * reach its limit of open files, where libuv closes every new connection.
 */
export function takeTurns({ maxConnections, proxies }: Config['http'], log: Pick<Log, 'warn'>): void {
  const most = Math.min(maxConnections, mostConnectionsPerListener())
  const tally = createTally(log, 'more connections came than workers took: those that had waited longest were closed')
  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const server = serverOf(message)
    const listener: unknown = server && Reflect.get(server, '_handle')
    if (server === undefined || !isListener(listener)) return
    server.once('listening', () =>
      process.nextTick(() => {
        // node:cluster takes the socket of its servers; those of the primary itself keep theirs.
        if (Reflect.get(server, '_handle') === null) distributeInTurn(listener)
      }),
    )
  })

  function distributeInTurn(listener: Listener): void {
    const waiting = createWaitingConnections<Accepted>({ most, proxies }, (network) => tally.count('closed', network))
    const distribute = listener.onconnection.bind(listener)
    /** Connections that node:cluster has, and no worker has claimed. A worker gets one at a time. */
    let given = 0
    const give = (): void => {
      while (given < Object.keys(cluster.workers ?? {}).length) {
        const next = waiting.next()
        if (next === undefined) return
        given += 1
        onceClosed(next, () => {
          given -= 1
          give()
        })
        distribute(0, next)
      }
    }
    listener.onconnection = (status, accepted) => {
      if (accepted === undefined) return distribute(status)
      const peer: { address?: string } = {}
      accepted.getpeername(peer)
      waiting.add(accepted, addressOf(peer.address))
      give()
    }
    const close = listener.close.bind(listener)
    // When its last worker has left.
    listener.close = (...then) => {
      waiting.closeAll()
      close(...then)
    }
  }
}

const serverOf = (message: unknown): Server | undefined =>
  typeof message === 'object' && message !== null && 'server' in message && message.server instanceof Server
    ? message.server
    : undefined

const isListener = (value: unknown): value is Listener =>
  typeof value === 'object' && value !== null && 'onconnection' in value && 'close' in value
