import type { IncomingMessage } from 'node:http'
import coBody from 'co-body'
import { Fault } from '../fault.ts'
import type { JsonObject } from './envelope.ts'
import { parseJsonObject } from './json.ts'

/**
 * The members of a request's body. JSON whatever Content-Type says, because published clients say anything or nothing;
 * an empty body is `{}`. A form is read where one is declared and the text is no JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const text = (await readText(request, maxBytes)).trim()
  if (text === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && !text.startsWith('{'))
    return parseForm(text)
  return parseJsonObject(text)
}

async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  try {
    return await coBody.text(request, { limit: maxBytes, encoding: 'utf8' })
  } catch (cause) {
    const type = cause instanceof Error && 'type' in cause ? cause.type : undefined
    if (type === 'entity.too.large') throw tooLarge(maxBytes)
    const status = cause instanceof Error && 'status' in cause ? cause.status : undefined
    if (status === 415) throw new Fault('request.encoding', undefined, { cause })
    throw new Fault('request.not_json', 'The body could not be read to its end.', { cause })
  }
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('request.too_large', `The body is larger than ${maxBytes} bytes (the setting http.maxBodyBytes).`)
}

function parseForm(text: string): JsonObject {
  return singleValues(new URLSearchParams(text))
}

/**
 * The members of a query or a form.
 * @throws Fault `request.invalid` when one stands there twice
 */
export function singleValues(pairs: URLSearchParams): JsonObject {
  const members: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in members) throw new Fault('request.invalid', `The parameter ${name.slice(0, 64)} is there twice.`)
    members[name] = value
  }
  return members
}
