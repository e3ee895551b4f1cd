/** Counts the memory of frames that are not received, or not sent, in full, of all connections of a process together. */
export interface UnfinishedFrames {
  /**
   * Notes the memory of a connection's incomplete frames: 0 for none. Above the limit, closes the connections whose
   * frames were begun first, until the rest fits. A client that goes on sending, or reading, completes its frames soon.
   */
  hold(connection: HoldingConnection, bytes: number): void
}

export interface HoldingConnection {
  giveUp(): void
}

export function createUnfinishedFrames(limitBytes: number, report: (givenUp: number) => void): UnfinishedFrames {
  // In the order in which the frames began.
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
