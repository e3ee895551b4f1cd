import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:https'
import { expect } from 'vitest'
import { freePort, TestAppliance, type Overrides } from '../../support/appliance.ts'

/** An answer of the validator as received. */
export interface ValidatorAnswer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
  /** An undefined member is not in the answer. */
  readonly members: Readonly<Record<string, string | undefined>>
}

export interface TestValidationClient {
  readonly id: number
  readonly name: string
  /** The key in base64, as the console prints it. */
  readonly key: string
}

/** The daemon with a validator, and a client of it. Signatures are by openssl. */
export class TestValidator {
  readonly appliance: TestAppliance
  readonly url: string
  readonly #agent: Agent
  #clients = 0

  private constructor(appliance: TestAppliance, port: number) {
    this.appliance = appliance
    this.url = `https://127.0.0.1:${port}/wsapi/2.0/verify`
    this.#agent = new Agent({ ca: appliance.ca, keepAlive: true, maxSockets: 64 })
  }

  static async start({ validator, ...overrides }: Overrides = {}): Promise<TestValidator> {
    const port = await freePort()
    const own = { enabled: true, host: '127.0.0.1', port, requestsPerSecond: 100_000 }
    return new TestValidator(await TestAppliance.own({ ...overrides, validator: { ...own, ...validator } }), port)
  }

  async addClient(allowUnsigned = false): Promise<TestValidationClient> {
    const name = `client ${++this.#clients}`
    const { services, commit } = this.appliance
    return { name, ...(await services.validationClients.add({ name, allowUnsigned }, commit)) }
  }

  /** Sends a signed request with a new nonce, or with these parameters. */
  verify(
    client: TestValidationClient,
    otp: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ValidatorAnswer> {
    const members = { id: String(client.id), otp, nonce: newNonce(), ...more }
    return this.ask(`${queryOf(members)}&h=${encodeURIComponent(requestSignature(client.key, members))}`)
  }

  /** The status of a signed request, whose answer must be signed as well. */
  async status(client: TestValidationClient, otp: string, more?: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.verify(client, otp, more)
    expectSigned(answer, client)
    return answer.members['status'] ?? ''
  }

  ask(query: string, { method = 'GET', path = '', body = '', headers = {} } = {}): Promise<ValidatorAnswer> {
    const url = path === '' ? `${this.url}?${query}` : new URL(path, this.url).href
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('latin1')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, members: membersOf(text) })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  /** The records of verifications in the trail, in the order of each chain. */
  records(): Record<string, unknown>[] {
    return this.appliance.trail
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes('"operation":"validation.verify"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.appliance.close()
  }
}

export const newNonce = (): string => randomBytes(16).toString('hex')

export function queryOf(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

/** The signature of the published protocol, by openssl: base64 of HMAC-SHA-1 over the sorted members without `h`. */
export function signature(key: string, members: Readonly<Record<string, string | undefined>>): string {
  const hexKey = Buffer.from(key, 'base64').toString('hex')
  return execFileSync('openssl', ['dgst', '-sha1', '-mac', 'HMAC', '-macopt', `hexkey:${hexKey}`, '-binary'], {
    input: signedText(members),
  }).toString('base64')
}

/** The signature of a request, without a process for each of the many. The validator checks it. */
const requestSignature = (key: string, members: Readonly<Record<string, string | undefined>>): string =>
  createHmac('sha1', Buffer.from(key, 'base64')).update(signedText(members)).digest('base64')

function signedText(members: Readonly<Record<string, string | undefined>>): string {
  return Object.keys(members)
    .filter((name) => name !== 'h')
    .toSorted()
    .map((name) => `${name}=${members[name]}`)
    .join('&')
}

/** Expects an answer in the form of the protocol with the client's signature. */
export function expectSigned(answer: ValidatorAnswer, { key }: TestValidationClient): void {
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/plain; charset=us-ascii')
  expect(answer.text).toMatch(/^h=[A-Za-z0-9+/]{27}=\r\n(?:[a-z]+=[\w.:-]+\r\n)+\r\n$/)
  expect(answer.members['t']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ0\d{3}$/)
  expect(answer.members['h']).toBe(signature(key, answer.members))
}

function membersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\r\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}
