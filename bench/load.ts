import { Pool } from 'undici'

export interface Call {
  /** Default: POST. */
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface LoadOptions {
  readonly origin: string
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string
  /** Number of keep-alive connections, each with one call under way. */
  readonly connections: number
  /** Version of HTTP, 1 (the default) or 2. */
  readonly http?: number
}

/** Connections that stay open between rounds, so that no round includes handshakes. */
export interface Load {
  /** Sends `times` calls. Resolves to the time that they took. Rejects when an answer is not a success. */
  drive(next: () => Call, times: number): Promise<{ readonly wallMs: number }>
  /** Sends one call. Resolves to its answer. */
  send(call: Call): Promise<string>
  /** Sends calls while `goOn` returns true. Resolves to the duration of each in milliseconds. */
  time(next: () => Call, goOn: () => boolean): Promise<number[]>
  close(): Promise<void>
}

export function createLoad({ origin, ca, connections, http = 1 }: LoadOptions): Load {
  const pool = new Pool(origin, { connections, pipelining: 1, allowH2: http === 2, connect: { ca } })

  async function send({ method = 'POST', path, headers, body }: Call): Promise<string> {
    const response = await pool.request({ method, path, headers, body: body ?? null })
    const text = await response.body.text()
    if (response.statusCode >= 300) throw new Error(`${origin}${path} answered ${response.statusCode}: ${text}`)
    return text
  }

  return {
    send,

    async drive(next, times) {
      const startedMs = performance.now()
      let left = times
      const lane = async (): Promise<void> => {
        while (left-- > 0) await send(next())
      }
      await Promise.all(Array.from({ length: connections }, lane))
      return { wallMs: performance.now() - startedMs }
    },

    async time(next, goOn) {
      const latencies: number[] = []
      const lane = async (): Promise<void> => {
        while (goOn()) {
          const startedMs = performance.now()
          await send(next())
          latencies.push(performance.now() - startedMs)
        }
      }
      await Promise.all(Array.from({ length: connections }, lane))
      return latencies
    },

    close: () => pool.close(),
  }
}
