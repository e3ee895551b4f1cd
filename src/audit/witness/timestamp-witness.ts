import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { join } from 'node:path'
import { readResponse } from '../../bounded-reading.ts'
import { sha256 } from '../line.ts'
import type { Witness } from './courier.ts'
import type { SignedHead } from './signed-head.ts'
import { readTimestampReply, timestampNonce, timestampRequest } from './timestamp-token.ts'

export interface TimestampSettings {
  readonly url: string
  /** PEM file with the CAs of the authority's server certificate, if the system does not trust them. */
  readonly serverCa?: string | undefined
  readonly intervalMs: number
}

/**
 * The file of tokens in the folder of the trail, one JSON object per line. `audit verify --witness` reads a copy of it.
 */
const timestampFile = 'witness-timestamps.jsonl'

const timeoutMs = 10_000
const mostReplyBytes = 64 * 1024

/** The text that a token stamps: the newest head of each chain, in the order of the chains' names. */
function stampedText(heads: readonly SignedHead[]): string {
  const newest = new Map(heads.map((head) => [head.chain, head]))
  return JSON.stringify([...newest.values()].toSorted((a, b) => a.chain.localeCompare(b.chain)))
}

/**
 * Requests time stamps for the newest heads (RFC 3161). An independent clock and key then confirm that they existed.
 */
export function createTimestampWitness(settings: TimestampSettings, directory: string): Witness {
  return {
    stateFile: 'witness-timestamp.json',
    address: settings.url,
    everyMs: settings.intervalMs,
    async send(heads) {
      const text = stampedText(heads)
      const imprint = Buffer.from(sha256(text), 'hex')
      const nonce = timestampNonce()
      const token = readTimestampReply(await post(settings, timestampRequest(imprint, nonce)), imprint, nonce)
      const line = `{"heads":${text},"token":"${token.toString('base64')}"}\n`
      await appendFile(join(directory, timestampFile), line, { mode: 0o600, flush: true })
    },
  }
}

/** Sends the request over HTTP (RFC 3161 §3.4). */
async function post({ url, serverCa }: TimestampSettings, body: Buffer): Promise<Buffer> {
  const options = {
    method: 'POST',
    headers: { 'Content-Type': 'application/timestamp-query', 'Content-Length': body.length },
    signal: AbortSignal.timeout(timeoutMs),
  }
  const ca = serverCa === undefined ? {} : { ca: readFileSync(serverCa) }
  const request = url.startsWith('https:') ? tlsRequest(url, { ...options, ...ca }) : plainRequest(url, options)
  request.end(body)
  const [response] = await once(request, 'response')
  return readResponse(response, { server: 'the time-stamp authority', mostBytes: mostReplyBytes })
}
