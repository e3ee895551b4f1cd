import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { TestAppliance } from './appliance.ts'
import type { Envelope } from './client.ts'

/** An HTTP/1.1 answer as received. */
export interface WireAnswer {
  readonly status: number
  readonly head: string
  readonly json: Envelope
}

export interface Exchange {
  readonly answers: readonly WireAnswer[]
  /** Whether the other side closed the connection. */
  readonly closed: boolean
}

const patienceMs = 60_000

/**
 * Sends these bytes over a new connection and reads until `answers` have come or the other side closes. Rejects when
 * neither happens in time: an appliance may refuse anything, but never leave a client waiting.
 */
export function exchange(
  appliance: TestAppliance,
  request: Buffer | string,
  { answers = 1, tls = true }: { answers?: number; tls?: boolean } = {},
): Promise<Exchange> {
  const socket = tls ? secureSocket(appliance) : connectTcp(portOf(appliance), '127.0.0.1')
  socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(request))
  return conversation(socket, answers)
}

export function secureSocket(appliance: TestAppliance): Socket {
  return connectTls({
    port: portOf(appliance),
    host: '127.0.0.1',
    ca: appliance.ca,
    servername: 'localhost',
    ALPNProtocols: ['http/1.1'],
  })
}

/** Reads answers from a socket until there are `wanted` of them or it is closed. */
export function conversation(socket: Socket, wanted: number): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer and no end after ${patienceMs} ms; received: ${received.toString('latin1')}`))
    }, patienceMs)
    const settle = (closed: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ answers: answersIn(received), closed })
    }
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece])
      if (answersIn(received).length >= wanted) settle(false)
    })
    // Only the received data count, not how the connection ended.
    socket.on('error', () => undefined)
    socket.once('close', () => settle(true))
  })
}

function answersIn(received: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = []
  for (let rest = received; ;) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) return answers
    const head = rest.subarray(0, headEnd).toString('latin1')
    const bodyBytes = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0)
    const bodyStart = headEnd + 4
    if (rest.length < bodyStart + bodyBytes) return answers
    const body = rest.subarray(bodyStart, bodyStart + bodyBytes).toString('latin1')
    answers.push({ status: Number(head.split(' ')[1]), head, json: JSON.parse(body || '{}') as Envelope })
    rest = rest.subarray(bodyStart + bodyBytes)
  }
}

export const portOf = (appliance: TestAppliance): number => Number(new URL(appliance.url).port)

/** The output of curl: head and body of the answer. */
export function curl(appliance: TestAppliance, path: string, ...args: readonly string[]): Promise<string> {
  const ca = join(appliance.directory, 'ca.pem')
  writeFileSync(ca, appliance.ca)
  const fixed = ['--silent', '--show-error', '--include', '--max-time', '60', '--cacert', ca]
  return new Promise((resolve) => {
    execFile('curl', [...fixed, ...args, appliance.url + path], { maxBuffer: 1 << 26 }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
