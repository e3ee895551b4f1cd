/** A file of a call, in multipart/form-data. */
export interface Upload {
  readonly name: string
  readonly content: Blob | Uint8Array<ArrayBuffer>
  readonly type?: string
}

export interface Input {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly file?: Upload
}

/**
 * Base URL of the interface. @throws TypeError for an address that is not HTTPS, because tokens and pass phrases go
 * over TLS only
 */
export function baseOf(url: string | URL): string {
  const { protocol, origin, pathname } = new URL(url)
  if (protocol !== 'https:') throw new TypeError('The address of the appliance begins with https://.')
  return `${origin}${pathname.replace(/\/$/, '').replace(/\/api\/1\.0$/, '')}/api/1.0`
}

/** Path and query of a call, relative to the interface, with its parameters filled in. */
export function pathOf(template: string, { params = {}, query = {} }: Input): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => segmentOf(name, params[name]))
  const search = new URLSearchParams()
  for (const [name, value] of given(query)) search.append(name, value)
  return search.size === 0 ? path : `${path}?${search.toString()}`
}

/** Encodes a segment of a path. An empty segment, or one of dots only, would change the address. @throws TypeError */
function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`params.${name} is missing, or cannot stand in an address.`)
  return encodeURIComponent(text)
}

/** Members as the text that queries and forms take. */
const given = (members: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
  )

export interface Body {
  readonly content: string | Uint8Array<ArrayBuffer>
  readonly type: string
}

export async function bodyOf(method: string, { body, file }: Input): Promise<Body | undefined> {
  if (method === 'GET') return undefined
  if (file === undefined)
    return body === undefined ? undefined : { content: JSON.stringify(body), type: 'application/json' }
  return multipartOf(given(body ?? {}), file)
}

/**
 * Encoded here and not by `fetch`, because the appliance accepts only bodies of known length. Not by `FormData`, which
 * would turn the line ends of values into CRLF.
 */
async function multipartOf(members: readonly [string, string][], file: Upload): Promise<Body> {
  const random = crypto.getRandomValues(new Uint8Array(16))
  const boundary = `strongroom-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const start = (name: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"`
  // A Blob drops a type that could not stand in a header.
  const { type } = new Blob([], { type: file.type ?? '' })
  const whole = new Blob([
    ...members.map(([name, value]) => `${start(name)}\r\n\r\n${value}\r\n`),
    `${start('file')}; filename="${quotable(file.name)}"\r\nContent-Type: ${type || 'application/octet-stream'}\r\n\r\n`,
    file.content,
    `\r\n--${boundary}--\r\n`,
  ])
  return {
    content: new Uint8Array(await whole.arrayBuffer()),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

/** A name as `FormData` writes it (WHATWG HTML, multipart/form-data). */
const quotable = (name: string): string => name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
