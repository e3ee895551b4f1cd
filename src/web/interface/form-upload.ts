import { Refusal } from './refusal.ts'
import {
  accept,
  base,
  filePatienceMs,
  isEnvelope,
  ofConsole,
  waitOf,
  type AnyEnvelope,
  type Sent,
} from './transport.ts'

/** A file to be sent in a form. */
export interface FormFile {
  readonly content: Blob
  readonly name: string
  /** Called with the share of the upload that has been sent, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/**
 * Sends a form with a file. Uses XMLHttpRequest, because `fetch` does not report the progress of an upload. @throws
 * Refusal
 */
export async function sendForm({ method, path, body = {}, signal }: Sent, file: FormFile): Promise<AnyEnvelope> {
  signal?.throwIfAborted()
  const request = await sent(new XMLHttpRequest(), `${base}${path}`, method, formOf(body, file), { signal, file })
  const json = jsonOf(request.responseText)
  // A body that is not an envelope comes from another server, for example a proxy.
  if (!isEnvelope(json)) throw new Refusal({ status: request.status })
  return accept(json, request.status, waitOf(request.getResponseHeader('Retry-After')))
}

/**
 * Encoded here and not by `FormData`, which would turn the line ends of values into CRLF. The file is the last part: the
 * appliance accepts no fields after a large file.
 */
function formOf(body: Readonly<Record<string, unknown>>, { content, name }: FormFile): Blob {
  const boundary = `strongroom-${crypto.randomUUID()}`
  const start = (member: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(member)}"`
  const parts = Object.entries(body).flatMap(([member, value]) =>
    isPlain(value) ? [`${start(member)}\r\n\r\n${value}\r\n`] : [],
  )
  const head = `${start('file')}; filename="${quotable(name)}"\r\nContent-Type: ${content.type || 'application/octet-stream'}`
  return new Blob([...parts, `${head}\r\n\r\n`, content, `\r\n--${boundary}--\r\n`], {
    type: `multipart/form-data; boundary=${boundary}`,
  })
}

/** A name as `FormData` writes it (WHATWG HTML, multipart/form-data). */
const quotable = (name: string): string => name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

interface Way {
  readonly signal: AbortSignal | undefined
  readonly file: FormFile
}

function sent(request: XMLHttpRequest, url: string, method: string, form: Blob, { signal, file }: Way) {
  return new Promise<XMLHttpRequest>((resolve, reject) => {
    let isSent = false
    request.upload.addEventListener('load', () => (isSent = true))
    // What the appliance has received is its to answer.
    const abort = (): void => void (isSent || request.abort())
    const lost = (): void => void reasonOf(file).then(reject)
    request.open(method, url)
    for (const [name, value] of Object.entries(ofConsole)) request.setRequestHeader(name, value)
    request.timeout = filePatienceMs
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      file.onProgress?.(total === 0 ? 1 : loaded / total),
    )
    request.addEventListener('load', () => resolve(request))
    request.addEventListener('error', lost)
    request.addEventListener('timeout', lost)
    request.addEventListener('abort', () => reject(signal ? abortion(signal) : new Refusal({ status: 0 })))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    signal?.addEventListener('abort', abort)
    request.send(form)
  })
}

/**
 * The error of a failed upload. A file that cannot be read fails like a lost connection, so its first byte is read
 * again.
 */
const reasonOf = ({ content }: FormFile): Promise<unknown> =>
  content
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => new Refusal({ status: 0 }),
      (unread: unknown) => unread,
    )

const abortion = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new DOMException('the upload was given up', 'AbortError')

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
