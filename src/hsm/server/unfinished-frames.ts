/** What is held of frames of which the rest has not come yet, by all connections of a process together. */
export interface UnfinishedFrames {
  /**
   * Notes what a connection holds of its frame: none with 0. Beyond the limit the frames that were begun first are given
   * up with their connections, until the rest fits: a client that goes on sending has its frame whole before long.
   */
  hold(connection: HoldingConnection, bytes: number): void
}

export interface HoldingConnection {
  giveUp(): void
}

export function createUnfinishedFrames(limitBytes: number, report: (givenUp: number) => void): UnfinishedFrames {
  // In the order in which the frames were begun.
  const held = new Map<HoldingConnection, number>()
  let heldBytes = 0
  let givenUp = 0

  const release = (connection: HoldingConnection) => {
    heldBytes -= held.get(connection) ?? 0
    held.delete(connection)
  }

  return {
    hold(connection, bytes) {
      heldBytes += bytes - (held.get(connection) ?? 0)
      if (bytes > 0) held.set(connection, bytes)
      else held.delete(connection)
      for (const oldest of held.keys()) {
        if (heldBytes <= limitBytes) break
        release(oldest)
        oldest.giveUp()
        report((givenUp += 1))
      }
    },
  }
}
