import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestAppliance } from './appliance.ts'
import { commonPki } from './pki.ts'

/** An answer of the appliance that passes through. */
export interface PassingAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Handles a request in place of forwarding it, or changes the answer that `pass` gets. */
export type Meddling = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  pass: () => Promise<PassingAnswer>,
) => void | Promise<void>

/** A small proxy with its own TLS before an appliance. It forwards everything until a test makes it meddle. */
export interface TlsProxy {
  readonly url: string
  /** Method and path of each request received. */
  readonly seen: string[]
  /** Handles the next requests, one for each argument. */
  meddle(...meddling: Meddling[]): void
  close(): Promise<void>
}

/** A file that a proxy serves itself. */
export interface ServedFile {
  readonly content: string | Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** `serve`: returns the file at a path outside of the interface; undefined for none. */
export async function startTlsProxy(
  appliance: TestAppliance,
  serve: (path: string) => ServedFile | undefined = () => undefined,
): Promise<TlsProxy> {
  const pki = commonPki()
  const agent = new Agent({ ca: appliance.ca, keepAlive: true })
  const planned: Meddling[] = []
  const seen: string[] = []
  const { origin } = new URL(appliance.url)

  const server = createServer(
    { cert: readFileSync(pki.certificate), key: readFileSync(pki.key) },
    (incoming, outgoing) => {
      const file = serve(incoming.url ?? '')
      if (file !== undefined) {
        outgoing.writeHead(200, file.headers).end(file.content)
        return
      }
      seen.push(`${incoming.method} ${incoming.url}`)
      const pieces: Buffer[] = []
      incoming.on('data', (piece: Buffer) => pieces.push(piece))
      incoming.on('end', () => {
        const pass = (): Promise<PassingAnswer> => forward(origin, agent, incoming, Buffer.concat(pieces))
        const meddle = planned.shift() ?? passOn
        void Promise.resolve(meddle(incoming, outgoing, pass)).catch(() => outgoing.destroy())
      })
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    meddle: (...meddling) => void planned.push(...meddling),
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const passOn: Meddling = async (_incoming, outgoing, pass) => {
  const { status, headers, body } = await pass()
  outgoing.writeHead(status, headers).end(body)
}

/** The appliance performs the call; half of its answer arrives. */
export const cutAnswer: Meddling = async (_incoming, outgoing, pass) => {
  const { status, headers, body } = await pass()
  outgoing.writeHead(status, headers)
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
}

/** As `cutAnswer`, with a length that declares the half complete. */
export const shortAnswer: Meddling = async (_incoming, outgoing, pass) => {
  const { status, headers, body } = await pass()
  const half = body.subarray(0, body.length / 2)
  outgoing.writeHead(status, { ...headers, 'content-length': String(half.length) }).end(half)
}

export const cutConnection: Meddling = (_incoming, outgoing) => void outgoing.destroy()

export const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>>): Meddling =>
  (_incoming, outgoing) =>
    void outgoing.writeHead(status, headers).end(body)

export const html = (status: number, headers: Readonly<Record<string, string>> = {}): Meddling =>
  answer(status, '<html><body><h1>Bad gateway</h1></body></html>', { 'content-type': 'text/html', ...headers })

/** Never answers. Calls `arrived` when the request is there. */
export const silence =
  (arrived: () => void = () => undefined): Meddling =>
  () =>
    arrived()

function forward(origin: string, agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<PassingAnswer> {
  return new Promise((resolve, reject) => {
    const { method, headers, url } = incoming
    const outgoing = request(`${origin}${url}`, { method, headers, agent }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
