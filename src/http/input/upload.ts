import type { IncomingMessage } from 'node:http'
import { finished, PassThrough, Readable, type Writable } from 'node:stream'
import createMulter from '@koa/multer'
import { asFault, Fault } from '../../fault.ts'
import type { UploadedFile } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { BodyLimits } from './body-limits.ts'
import { addMember } from './members.ts'
import { createStorage, type FileStorage } from './uploaded-file.ts'

export interface FormLimits {
  /** Limits of the memory for the form while it is read. */
  readonly bodyLimits: Pick<BodyLimits, 'maxBytes' | 'maxFileBytes'> & Partial<Pick<BodyLimits, 'held'>>
  /** Limit of the file, most of which may not have arrived yet. */
  readonly maxFileBytes: number
}

/** The parsed parts of a multipart body (RFC 7578). */
export interface Form {
  readonly fields: JsonObject
  /** The one file, under any part name. */
  readonly file: UploadedFile | undefined
  /** Discards what has not been read. */
  abandon(): void
}

const maxFields = 256
const maxNameLength = 128

export function isForm({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/form-data') === true
}

/** The fields of a form that may not contain a file. @throws Fault `request.not_form`, `request.invalid` */
export async function readFields(headers: IncomingMessage['headers'], body: Buffer): Promise<JsonObject> {
  const bodyLimits = { maxBytes: body.length, maxFileBytes: body.length }
  const limits = { bodyLimits, maxFileBytes: body.length }
  const { fields, file } = await readForm(Object.assign(Readable.from([body]), { headers }), limits)
  if (file !== undefined) throw new Fault('request.invalid', 'This call takes no file: leave it out.')
  return fields
}

type FormSource = Readable & Pick<IncomingMessage, 'headers'>

/**
 * Reads a form to its end, or until its file exceeds the memory limit: the rest of the file is then read as it arrives.
 * @throws Fault `request.not_form`, `request.too_large`, `request.invalid`; the content of the file throws the same
 */
export async function readForm(request: FormSource, limits: FormLimits): Promise<Form> {
  const body = bodyOf(request)
  const fields = createFields(limits)
  const { held, maxFileBytes } = limits.bodyLimits
  const storage = createStorage(() => end, { keptBytes: maxFileBytes, held })
  const end = parse(body, fields, storage, limits)
  const refused = new Promise<Fault>((resolve) => held?.onRefusal(resolve))
  const fault = await Promise.race([end, storage.outgrown, refused])
  if (fault) {
    body.destroy()
    throw fault
  }
  fields.close()
  return { fields: fields.values, file: storage.file(), abandon: () => void body.destroy() }
}

/**
 * A stream that multer accepts as the request. multer refuses a form without a length, and reads a form that it refuses
 * to its end before it reports this: this stream has the headers of a request with a body, and ends when it is
 * destroyed.
 */
function bodyOf(request: FormSource): FormSource {
  const headers = { 'content-type': request.headers['content-type'], 'transfer-encoding': 'chunked' }
  const through = new PassThrough({
    destroy(error, done) {
      // At once, because a request that is unpiped later is paused, and the rest would not be discarded after the
      // answer.
      request.unpipe(through)
      done(error)
    },
  })
  const body = Object.assign(through, { headers })
  finished(request, { writable: false }, (error) => {
    if (error) body.destroy()
  })
  return request.pipe(body)
}

/** Parses the form. Resolves, once it has ended, to what is wrong with it; never rejects. */
async function parse(
  body: FormSource,
  fields: Fields,
  storage: FileStorage,
  limits: FormLimits,
): Promise<Fault | undefined> {
  let refusal: Fault | undefined
  let skippedParts: (() => number) | undefined
  let hasBegun = false
  const receive = createMulter({
    storage,
    defParamCharset: 'utf8',
    limits: {
      files: 1,
      fields: maxFields,
      parts: maxFields + 1,
      fieldSize: limits.bodyLimits.maxBytes,
      fileSize: limits.maxFileBytes,
      // multer turns names with brackets into objects and lists, and makes a list as long as its name says.
      fieldNestingDepth: 0,
    },
    streamHandler(_request, parser) {
      hasBegun = true
      skippedParts = countSkippedParts(parser)
      // multer limits each field but not their total, and makes a list of fields with the same name.
      parser.on('field', (name: string | undefined, value: string | undefined, info: PartInfo) => {
        refusal ??= encodingFault(info) ?? fields.add(name, value)
        if (refusal) body.destroy()
      })
      parser.prependListener('file', (_part, stream: Readable, info: PartInfo) => {
        const fault = encodingFault(info)
        if (fault) stream.destroy(fault)
        // busboy begins a file that follows the end of the form in the same chunk, and never ends it.
        if (Reflect.get(parser, '_complete') === true)
          stream.destroy(new Fault('request.not_form', 'The form goes on after its end.'))
        // multer ignores a file without a name.
        if (info.filename) return
        storage.nameless.add(stream)
        info.filename = 'nameless'
      })
      parser.once('unpipe', () => body.destroy())
      body.pipe(parser)
    },
  })
  try {
    await receive.any()({ req: body }, () => Promise.resolve())
  } catch (error) {
    if (hasBegun) return refusal ?? faultOf(error, limits)
  }
  if (skippedParts && skippedParts() > 0) refusal ??= skippedPartFault()
  if (hasBegun) return refusal
  body.destroy()
  return new Fault('request.not_form', 'The Content-Type of the form names no boundary (RFC 7578 §4.1).')
}

/** What busboy tells of a part. */
interface PartInfo {
  filename?: string
  /** Content-Transfer-Encoding in lower case; `7bit` where the part has none. */
  readonly encoding: string
}

/** busboy decodes nothing: a part in base64 would be stored as that text. */
function encodingFault({ encoding }: PartInfo): Fault | undefined {
  if (['7bit', '8bit', 'binary'].includes(encoding)) return undefined
  return new Fault(
    'request.invalid',
    `The Content-Transfer-Encoding ${encoding.slice(0, 64)} of a part is not supported: send the bytes as they are (RFC 7578 §4.7).`,
  )
}

/**
 * Counts the parts that busboy skips, of which it tells nothing: those without a Content-Disposition that it can read,
 * and those with more than a line end behind their boundary. A part lies between two boundaries.
 */
function countSkippedParts(parser: Writable): () => number {
  const boundaries = boundarySearchOf(parser)
  let told = 0
  for (const event of ['field', 'file']) parser.on(event, () => (told += 1))
  return () => boundaries.matches - 1 - told
}

/** busboy's search for boundaries, which counts them. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a private member of busboy 1.6
const boundarySearchOf = (parser: Writable) => Reflect.get(parser, '_bparser') as { readonly matches: number }

const skippedPartFault = (): Fault =>
  new Fault(
    'request.invalid',
    'A part of the form cannot be read: it has no Content-Disposition that says form-data (RFC 7578 §4.2), or the line of its boundary holds more than the boundary.',
  )

interface Fields {
  readonly values: JsonObject
  /** Adds a field; returns what is wrong with it. multer refuses a field without a name. */
  add(name: string | undefined, value: string | undefined): Fault | undefined
  /** No field may follow. */
  close(): void
}

function createFields({ bodyLimits }: FormLimits): Fields {
  const values: Record<string, string> = Object.create(null)
  let bytes = 0
  let isClosed = false

  function add(name: string, value: string | undefined): void {
    if (isClosed)
      throw new Fault('request.invalid', `Put every field before a file of more than ${bodyLimits.maxFileBytes} bytes.`)
    if (value === undefined)
      throw new Fault('request.invalid', `The character set of the field ${name.slice(0, 64)} is unknown: send UTF-8.`)
    const size = Buffer.byteLength(name) + Buffer.byteLength(value)
    bytes += size
    bodyLimits.held?.take(size)
    if (name.length > maxNameLength)
      throw new Fault('request.invalid', `The name of a field must have ${maxNameLength} characters at most.`)
    if (bytes > bodyLimits.maxBytes) throw tooManyFields({ bodyLimits })
    addMember(values, name, value)
  }

  return {
    values,
    add(name, value) {
      if (name === undefined) return undefined
      try {
        add(name, value)
        return undefined
      } catch (error) {
        // An error thrown into the parser would end the process.
        return asFault(error)
      }
    },
    close: () => void (isClosed = true),
  }
}

/** Maps multer's error codes. Any other error means that the form was cut off. */
function faultOf(error: unknown, limits: FormLimits): Fault {
  if (error instanceof Fault) return error
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'LIMIT_FILE_SIZE':
      return new Fault(
        'request.too_large',
        `The file is larger than ${limits.maxFileBytes} bytes (the setting files.maxBytes).`,
      )
    case 'LIMIT_FILE_COUNT':
      return new Fault('request.invalid', 'Send one file at a time.')
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
    case 'LIMIT_FIELD_VALUE':
      return tooManyFields(limits)
    case 'MISSING_FIELD_NAME':
      return new Fault('request.invalid', 'A field of the form has no name.')
    case 'LIMIT_FIELD_NESTING':
      return new Fault('request.invalid', 'The name of a field must not hold a bracket.')
    default:
      return new Fault(
        'request.not_form',
        'The form ended too early, or is not made as RFC 7578 says: check its boundary, its line ends and the heads of its parts, and send it again.',
      )
  }
}

function tooManyFields({ bodyLimits }: Pick<FormLimits, 'bodyLimits'>): Fault {
  return new Fault(
    'request.too_large',
    `The form has more than ${maxFields} fields, or more than ${bodyLimits.maxBytes} bytes of them.`,
  )
}
