/** A connection that the primary has accepted (`TCP` of Node.js). */
export interface AcceptedConnection {
  close(...then: unknown[]): void
}

/**
 * Calls `closed` once the primary's end of the connection is closed. node:cluster closes it when a worker has claimed the
 * connection, and `closeUnclaimed` where no worker will.
 */
export function onceClosed(connection: AcceptedConnection, closed: () => void): void {
  const close = connection.close.bind(connection)
  let isOpen = true
  connection.close = (...then) => {
    close(...then)
    if (!isOpen) return
    isOpen = false
    closed()
  }
}
