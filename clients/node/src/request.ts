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
  const form = new FormData()
  for (const [name, value] of given(body ?? {})) form.append(name, value)
  form.append('file', new Blob([file.content], { type: file.type ?? 'application/octet-stream' }), file.name)
  // Encoded here and not by `fetch`, because the appliance accepts only bodies of known length.
  const written = new Response(form)
  return { content: new Uint8Array(await written.arrayBuffer()), type: written.headers.get('content-type') ?? '' }
}
