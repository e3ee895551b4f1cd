import type { Readable } from 'node:stream'
import type { HeldBody } from './body-budget.ts'

/** Limit of white space before the first byte of JSON. */
const mostBlanks = 1_024

/**
 * Whether the body of a request begins like a JSON object: decided by its first byte that is not white space, as soon
 * as that arrives. What was read is put back, so that the body can be read in either form.
 * @throws Fault `appliance.busy`
 */
export function beginsLikeJson(request: Readable, held: Pick<HeldBody, 'onRefusal'> | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let start: Buffer = Buffer.alloc(0)
    const look = (piece: Buffer): void => {
      start = start.length === 0 ? piece : Buffer.concat([start, piece])
      const first = start.findIndex((byte) => !blanks.has(byte))
      if (first !== -1 || start.length > mostBlanks) settle(start[first] === 0x7b /* { */ && first <= mostBlanks)
    }
    const isNone = (): void => settle(false)
    const stop = (): void => {
      request.off('data', look).off('end', isNone).off('close', isNone).pause()
    }
    const settle = (isJson: boolean): void => {
      stop()
      if (!request.readableEnded) request.unshift(start)
      resolve(isJson)
    }
    // The reader of the body handles errors of the connection; without any listener meanwhile, an error would end the
    // process.
    request.on('data', look).on('end', isNone).on('close', isNone).on('error', nothing)
    held?.onRefusal((fault) => {
      stop()
      reject(fault)
    })
    if (request.destroyed || request.readableEnded) isNone()
  })
}

const nothing = (): void => {}

/** White space (RFC 8259 §2). */
const blanks = new Set(Buffer.from(' \t\n\r'))

/** The part of a large body in which a session token is looked for before the body is refused. */
export const tokenStartBytes = 4 * 1024

/**
 * The session token at the beginning of a JSON object, where only members with simple values precede it. The body is
 * parsed strictly afterwards: a second `token` is refused there.
 */
export function tokenAtStart(start: string): string | undefined {
  return leadingToken.exec(start.trimStart())?.[1]
}

const leadingToken = /^\{\s*(?:"[^"\\]*"\s*:\s*(?:"[^"\\]*"|[-+.\w]+)\s*,\s*)*?"token"\s*:\s*"([A-Za-z0-9]{42})"\s*[,}]/
