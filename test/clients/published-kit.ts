import { request } from 'node:https'
import { expect } from 'vitest'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { checkAnswer, type Answer, type Envelope } from '../support/client.ts'

export type Headers = Readonly<Record<string, string>>

/** How a published client speaks, header by header. */
export interface Manner {
  /** What stands in every request. */
  readonly headers: Headers
  /** What stands beside a body of JSON; many say nothing. */
  readonly withJson?: Headers
}

/** The library of Python, and what is built on it. */
export const python = {
  headers: {
    'User-Agent': 'python-requests/2.31.0',
    'Accept-Encoding': 'gzip, deflate',
    Accept: '*/*',
    Connection: 'keep-alive',
  },
  withJson: { 'Content-Type': 'application/json' },
} satisfies Manner

/** A JSON text is sent for an object; what is no object goes as it is. */
export type Say = (method: string, path: string, body?: object | string | Buffer, more?: Headers) => Promise<Answer>

/** Sends requests that hold this and nothing else, each over a connection of its own, and checks what every answer must hold. */
export function speaker(appliance: TestAppliance, { headers, withJson = {} }: Manner, token?: string): Say {
  return async (method, path, body, more = {}) => {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
    const payload = isJson ? JSON.stringify(body) : body
    const sent = {
      Host: new URL(appliance.url).host,
      ...headers,
      ...(token === undefined ? {} : { 'X-Http-Token': token }),
      ...(payload === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(payload)) }),
      ...(isJson ? withJson : {}),
      ...more,
    }
    const { text, ...reply } = await exchanged(appliance, method, path, sent, payload)
    const answer = { ...reply, json: JSON.parse(text) as Envelope }
    checkAnswer(method, path, answer, text)
    return answer
  }
}

/** One request whose headers are these, in this order, and the answer as it came. */
export function exchanged(
  { url, ca }: TestAppliance,
  method: string,
  path: string,
  headers: Headers,
  payload?: string | Buffer,
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const options = { method, headers, ca, agent: false, setDefaultHeaders: false } as const
    const outgoing = request(url + path, options, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString('latin1'),
        }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(payload)
  })
}

/** The answer's envelope, after status and success were found to be what the client insists on. */
export async function must(answer: Promise<Answer>, status = 200): Promise<Envelope> {
  const { status: came, json } = await answer
  expect([came, json.ERRORS ?? []]).toEqual([status, []])
  return json
}

/** The same for what the client must be told is refused, with the codes it looks for. */
export async function mustFail(answer: Promise<Answer>, status: number, code: number): Promise<Envelope> {
  const { status: came, json } = await answer
  expect([came, Object.keys(json.ERRORCODES ?? {})]).toEqual([status, [String(code), '2000']])
  return json
}

/** What the libraries log in with, who send the application key twice. */
export const libraryLogin = (user: TestUser, apikey: string) => ({ ...keysOf(user, apikey), apikey })

/** What tools log in with: pass phrase, application key and OTP in one. */
export function keysOf(user: TestUser, applicationKey: string): { username: string; keys: string } {
  return { username: user.username, keys: user.passphrase + applicationKey + user.hardwareToken.press() }
}

export interface FilePart {
  readonly part: string
  readonly filename: string
  readonly content: Buffer | string
  /** Some clients give none. */
  readonly type?: string
}

/** A form as Python's libraries write it: the fields, then the file; the bytes, and the header that tells its boundary. */
export function pythonForm(
  fields: Readonly<Record<string, string>>,
  { part, filename, content, type }: FilePart,
): [body: Buffer, headers: Headers] {
  const boundary = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'
  const opening = (disposition: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n`
  const parts = Object.entries(fields).map(([name, value]) => `${opening(`name="${name}"`)}${value}\r\n`)
  const file = opening(`name="${part}"; filename="${filename}"`, type && `Content-Type: ${type}\r\n`)
  return [
    Buffer.concat([Buffer.from(parts.join('') + file), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)]),
    { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  ]
}

type Member = Readonly<Record<string, unknown>>

/** The records of a member of an answer. */
export const records = (envelope: Envelope, member: string): Member[] => envelope[member] as Member[]
/** The only record of a member of an answer. */
export function only(envelope: Envelope, member: string): Member {
  const [record = {}, ...others] = records(envelope, member)
  expect(others).toEqual([])
  return record
}
