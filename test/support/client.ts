import { Agent, request } from 'node:https'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { checkReply } from './replies.ts'

export interface Envelope {
  readonly CALLINFO: Record<string, unknown> & {
    status: string
    token?: string
    general: unknown[]
    errors: number
    errorcodes: number
    handler: string
  }
  readonly DATA: Record<string, unknown> | unknown[]
  readonly HEADERS: Record<string, string>
  readonly PARAMS: unknown[]
  readonly ERRORS?: string[]
  readonly ERRORCODES?: Record<string, string>
  readonly [member: string]: unknown
}

export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly json: Envelope
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
  /** Session token. Undefined: that of the client; null: none. */
  readonly token?: string | null
}

/**
 * A client that knows only the published interface and the contracts. It checks on every answer what holds for all
 * answers and what the contract says, and follows the rotation of the session token, so that tests need not.
 */
export class TestClient {
  token: string | undefined
  readonly base: string
  readonly #agent: Agent

  /** `tls`: further options of node:tls, such as a client certificate. */
  constructor(base: string, ca: string, token?: string, tls: object = {}) {
    this.base = base
    this.token = token
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: 64, ...tls })
  }

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, options)
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, { ...options, body })
  }

  /** The answer, after a check that it is a success. */
  async must(method: string, path: string, body?: unknown): Promise<Envelope> {
    const { status, json } = await this.call(method, path, { body })
    expect(json.ERRORS ?? [], `${method} ${path}`).toEqual([])
    expect([200, 201]).toContain(status)
    return json
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const token = options.token === undefined ? this.token : options.token
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const headers = {
      ...(payload === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(payload)) }),
      ...(token ? { 'X-Http-Token': token } : {}),
      ...options.headers,
    }
    const { status, headers: replied, text } = await this.#send(method, path, headers, payload)
    const json = JSON.parse(text) as Envelope
    checkAnswer(method, path, { status, headers: replied, json }, text)
    // The specification has an empty DATA only for this call.
    if (token && !path.startsWith('/authinfo/logintypes'))
      expect((json.DATA as Record<string, unknown>)['token']).toBe(token)
    checkEcho(path, options.body, json)
    if (token && token === this.token && json.CALLINFO.token) this.token = json.CALLINFO.token
    return { status, headers: replied, json }
  }

  #send(method: string, path: string, headers: Record<string, string>, payload: string | Buffer | undefined) {
    return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
      const outgoing = request(`${this.base}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('latin1'),
          }),
        )
        response.on('error', reject)
      })
      outgoing.on('error', reject)
      if (payload === undefined || payload.length <= pieceBytes) outgoing.end(payload)
      else Readable.from(piecesOf(payload)).pipe(outgoing)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

const pieceBytes = 256 * 1024

/**
 * A large body piece by piece: one that is encrypted as a whole keeps this process from the handshakes of its other
 * calls, for which the appliance waits a few seconds.
 */
function* piecesOf(payload: string | Buffer): Generator<Buffer> {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Checks what every answer must satisfy. `text`: the answer as received. */
export function checkAnswer(method: string, path: string, answer: Answer, text: string): void {
  checkEnvelope(answer, text)
  if (answer.json.CALLINFO.status === 'SUCCESS') checkReply(method, path, answer.status, answer.json)
}

function checkEnvelope({ status, headers, json }: Answer, text: string): void {
  expect(text).toMatch(/^[\x20-\x7e]*$/)
  expect(headers['content-type']).toBe('application/json')
  const ok = status === 200 || status === 201
  expect(json.CALLINFO.status).toBe(ok ? 'SUCCESS' : 'FAIL')
  expect(json.CALLINFO.errors).toBe(ok ? 0 : 1)
  expect(json.CALLINFO.errorcodes).toBe(ok ? 0 : 1)
  expect(json.CALLINFO).not.toHaveProperty('error')
  expect(json.CALLINFO.general).toBeInstanceOf(Array)
  expect(json.CALLINFO.handler).toMatch(/^([A-Z][a-z]+)*Handler$/)
  expect(json.PARAMS).toEqual([])
  expect(json.HEADERS).toBeTypeOf('object')
  expect(json.DATA).toBeTypeOf('object')
  if (ok) {
    expect(json).not.toHaveProperty('ERRORS')
    expect(json).not.toHaveProperty('ERRORCODES')
    return
  }
  // One refusal has a wording that published clients depend on.
  expect(json.ERRORS?.[0]).toMatch(/^[A-Z`a-z].{8,}[.!]$|^NO SUCH TEMPLATE$/)
  expect(json.ERRORCODES).toHaveProperty('2000')
  expect(Object.keys(json.ERRORCODES ?? {})).toHaveLength(2)
  expect(text).not.toMatch(/\bat .*\.(ts|js):\d+|node_modules|SQLITE|CKR_/)
}

/** Secrets in requests that no answer repeats in DATA. Only the login echoes some of its own. */
const unechoed = new Set('passphrase newpassphrase plaintext password cryptedinfo note pincode cardno cvc'.split(' '))

function checkEcho(path: string, body: unknown, { CALLINFO, DATA }: Envelope): void {
  if (typeof body !== 'object' || body === null || /^\/auth(\?|$)/.test(path)) return
  const isSecret = (name: string): boolean =>
    unechoed.has(name) ||
    (name === 'otp' && /^\/(me|auth)\//.test(path)) ||
    (name === 'yubikey' && path === '/user') ||
    // The `totp` field of an object, and not that of a new user.
    (name === 'totp' && path.startsWith('/object'))
  const withoutSecrets = (name: string, value: unknown): unknown => (isSecret(name) ? undefined : value)
  const echo = JSON.parse(JSON.stringify(body, withoutSecrets)) as object
  if (CALLINFO.status === 'SUCCESS' && Object.keys(echo).length > 0) expect(DATA).toMatchObject(echo)
  expect(JSON.parse(JSON.stringify(DATA, withoutSecrets))).toEqual(DATA)
}

/** Expects this refusal: status and error number of the catalogue. */
export function expectFault(answer: Answer, status: number, code: number): void {
  expect({ status: answer.status, codes: Object.keys(answer.json.ERRORCODES ?? {}) }).toEqual({
    status,
    codes: [String(code), '2000'],
  })
  // What zod says of a rule that has no words of its own.
  expect(answer.json.ERRORS?.join()).not.toContain('Invalid input')
}
