/** What carries answers: the connection of HTTP/1.1, or the session of HTTP/2. */
export interface Bearer {
  destroy(): void
}

/** The bytes of answers that wait for their clients to take them. */
export interface Outbox {
  /**
   * Whether an answer may wait on this bearer; `sent` counts it, until `sent` itself is called. The first always may.
   */
  admit(bearer: Bearer, bytes: number): { readonly sent: () => void } | undefined
}

export interface OutboxLimits {
  readonly perBearerBytes: number
  readonly totalBytes: number
}

const MiB = 1024 * 1024

/** For answers to callers who are not known: the document of the interface five times, and many refusals. */
export const strangersOutbox: OutboxLimits = { perBearerBytes: 2 * MiB, totalBytes: 32 * MiB }

/** For answers to callers with a session; files have a budget of their own besides. */
export const callersOutbox: OutboxLimits = { perBearerBytes: 64 * MiB, totalBytes: 512 * MiB }

/** Where there is no room in all, the connection with most waiting ends: whoever reads what he asked for is served. */
export function createOutbox({ perBearerBytes, totalBytes }: OutboxLimits): Outbox {
  const waiting = new Map<Bearer, number>()
  let total = 0

  function add(bearer: Bearer, bytes: number): void {
    const now = (waiting.get(bearer) ?? 0) + bytes
    total += bytes
    if (now > 0) waiting.set(bearer, now)
    else waiting.delete(bearer)
  }

  function makeRoom(): void {
    const [greediest] = [...waiting].toSorted(([, one], [, other]) => other - one)
    greediest?.[0].destroy()
  }

  return {
    admit(bearer, bytes) {
      const before = waiting.get(bearer) ?? 0
      if (before > 0 && before + bytes > perBearerBytes) return undefined
      add(bearer, bytes)
      if (total > totalBytes) makeRoom()
      return { sent: () => add(bearer, -bytes) }
    },
  }
}
