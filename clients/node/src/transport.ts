/** An HTTP request. */
export interface TransportRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  readonly signal: AbortSignal
}

export interface TransportAnswer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Resolves to the whole body. Rejects for one that was cut off. */
  readonly text: () => Promise<string>
}

/** No byte moved for as long as the program waits for one. Such a call is not sent again: each try would wait as long. */
export class SilenceError extends Error {}

/**
 * Sends requests to the appliance. Resolves when the headers of the answer have arrived, and rejects without an answer.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportAnswer>
  /** Closes idle connections. */
  close?(): void
}

/** Uses the platform's `fetch`. Redirects are not followed, because they would send the session token elsewhere. */
export function fetchTransport(fetch: typeof globalThis.fetch = globalThis.fetch): Transport {
  return {
    async send({ method, url, headers, body, signal }) {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'error',
        credentials: 'omit',
        ...(body === undefined ? {} : { body }),
      })
      return {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        text: () => response.text(),
      }
    },
  }
}
