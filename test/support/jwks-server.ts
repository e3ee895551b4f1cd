import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'
import { commonPki } from './pki.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A TLS server with an issuer's keys, which can also misbehave. */
export class JwksServer {
  readonly ca = commonPki().ca
  asked = 0
  #answer: Answer = (_request, response) => response.writeHead(404).end()
  readonly #server: Server

  constructor() {
    const { certificate, key } = commonPki()
    this.#server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
      this.asked++
      this.#answer(request, response)
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on TCP has such an address
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/keys`
  }

  serves(...keys: JWK[]): void {
    this.answers((_request, response) => response.end(JSON.stringify({ keys })))
  }

  answers(answer: Answer): void {
    this.#answer = answer
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
