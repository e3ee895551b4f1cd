import { escapeBeyondAscii } from '../encoding/escaped-json.ts'
import { hash } from 'node:crypto'
import { chainNamePattern, type ChainPoint } from '../hsm/audit-end.ts'
import type { AuditEvent } from './event.ts'

export type LineType = 'event' | 'seal'

/**
 * A parsed line: its sequence number, the hash of the line before it (`prev`), and its other members as text (`body`).
 */
export interface Line {
  readonly chain: string
  readonly seq: number
  readonly prev: string
  readonly type: LineType
  readonly body: string
}

/** The longest line of a chain, in bytes: enough for a seal that names the heads of several hundred other chains. */
export const maxLineBytes = 256 * 1024
/** The longest body of a line, in bytes: the members before it take fewer than 256. */
export const maxLineBodyBytes = maxLineBytes - 256

const nameInLine = chainNamePattern.source.slice(1, -1)
const lineShape = new RegExp(
  `^\\{"v":1,"chain":"(${nameInLine})","seq":([1-9][0-9]{0,14}),"prev":"([0-9a-f]{64})","type":"(event|seal)",([ -~]*)\\}$`,
)

// In bytes after escaping. They keep a record below 16 KiB whatever its callers send; `rows` adds at most 8 KiB, for
// the grants of a member, or for the ids of 500 objects that are moved.
const limits = {
  operation: 128,
  requestId: 128,
  outcome: 64,
  username: 512,
  address: 64,
  vault: 256,
  key: 768,
  subject: 768,
} as const

export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** The sequence number of a line; undefined if it has none. */
export function seqOfLine(line: Buffer): number | undefined {
  const [, digits] = /"seq":(\d+),/.exec(line.toString('latin1', 0, 200)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** The starting point of a chain: no line is written yet, and the first line's `prev` is a hash of the chain's name. */
export function genesis(chain: string): ChainPoint {
  return { seq: 0, hash: sha256(`strongroom audit chain ${chain}`) }
}

/**
 * The body of an event's line: named members in a fixed order, in printable ASCII. A longer text than its limit is cut,
 * and ends with … and the number of omitted characters.
 */
export function eventBody(event: AuditEvent): string {
  const json = JSON.stringify({
    at: event.at,
    operation: cut(event.operation, limits.operation),
    requestId: cut(event.requestId, limits.requestId),
    outcome: cut(event.outcome, limits.outcome),
    userId: event.userId,
    username: cut(event.username, limits.username),
    sessionId: event.sessionId,
    applicationKeyId: event.applicationKeyId,
    address: cut(event.address, limits.address),
    vault: cut(event.vault, limits.vault),
    key: cut(event.key, limits.key),
    keyVersion: event.keyVersion,
    subject: cut(event.target, limits.subject),
    rows: event.rows,
    rowsAt: event.rowsAt,
    count: event.count,
    ms: event.ms === undefined ? undefined : Math.round(event.ms * 1000) / 1000,
  })
  return escapeBeyondAscii(json.slice(1, -1))
}

/** The whole line after `previous`, including its newline. */
export function lineAfter(previous: ChainPoint, chain: string, type: LineType, body: string): string {
  return `{"v":1,"chain":"${chain}","seq":${previous.seq + 1},"prev":"${previous.hash}","type":"${type}",${body}}\n`
}

/** Parses `text` (without its newline); undefined if this module did not write such a line. */
export function parseLine(text: string): Line | undefined {
  const [, chain, seq, prev, type, body] = lineShape.exec(text) ?? []
  if (chain === undefined || prev === undefined || body === undefined) return undefined
  if (!isJson(text)) return undefined
  return { chain, seq: Number(seq), prev, type: type === 'seal' ? 'seal' : 'event', body }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function cut(text: string | undefined, limitBytes: number): string | undefined {
  // An escaped character takes at most six bytes (\uXXXX).
  if (text === undefined || text.length * 6 <= limitBytes) return text
  if (text.length <= limitBytes && escapedBytes(text) <= limitBytes) return text
  const markBytes = 24
  let kept = 0
  for (let bytes = 0; kept < text.length; kept += 1) {
    bytes += escapedBytes(text.charAt(kept))
    if (bytes > limitBytes - markBytes) break
  }
  return `${text.slice(0, kept)}… (${text.length - kept} more)`
}

/** Characters that JSON does not escape. */
const plain = /^[ !#-[\]-~]*$/

function escapedBytes(text: string): number {
  return plain.test(text) ? text.length : escapeBeyondAscii(JSON.stringify(text)).length - 2
}
