/** One HTTP request, ready to be sent. */
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
  /** The whole body. Rejects where the answer is cut. */
  readonly text: () => Promise<string>
}

/** How requests reach the appliance: resolves when the head of the answer is there, rejects where none comes. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportAnswer>
  /** Ends connections that are kept open. */
  close?(): void
}

/** The platform's `fetch`. It follows no redirection, because that would take the session token elsewhere. */
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
