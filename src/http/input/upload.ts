import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import busboy from 'busboy'
import { Fault } from '../../fault.ts'
import type { UploadedFile } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { isPlainText } from './json.ts'
import { addMember } from './members.ts'

export interface FormLimits {
  /** Of all fields together. */
  readonly maxFieldBytes: number
  readonly maxFileBytes: number
}

/** What a multipart body holds (RFC 7578). */
export interface Form {
  readonly fields: JsonObject
  /** The one file, whatever its part is called. */
  readonly file: UploadedFile | undefined
  /** Lets go of what nobody has read. */
  abandon(): void
}

/** A file up to this size is held in memory, so that fields may stand behind it; a larger one is handed on as it comes. */
const memoryBytes = 1024 * 1024
const maxFields = 256
const maxNameLength = 128
const maxFilenameLength = 255

export function isForm({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/form-data') === true
}

/** Nothing is inflated here, so nothing can swell. @throws Fault `request.encoding` */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Fault('request.encoding')
}

/**
 * Reads a form to its end, or to where its file outgrows memory: then the file's content is what follows on the wire.
 * @throws Fault `request.not_form`, `request.too_large`, `request.invalid`, `request.encoding`; the content of the file throws the same
 */
export async function readForm(request: FormSource, limits: FormLimits): Promise<Form> {
  refuseEncoding(request)
  const reader = new FormReader(request, limits)
  try {
    return await reader.read()
  } catch (error) {
    reader.abandon()
    throw error
  }
}

/**
 * The fields of a form in which no file belongs.
 * @throws Fault `request.not_form`, `request.invalid`
 */
export async function readFields(headers: IncomingMessage['headers'], body: Buffer): Promise<JsonObject> {
  const limits = { maxFieldBytes: body.length, maxFileBytes: body.length }
  const { fields, file } = await readForm(Object.assign(Readable.from([body]), { headers }), limits)
  if (file !== undefined) throw new Fault('request.invalid', 'This call takes no file: leave it out.')
  return fields
}

type FormSource = Readable & Pick<IncomingMessage, 'headers'>

class FormReader {
  readonly #request: FormSource
  readonly #limits: FormLimits
  readonly #parser: busboy.Busboy
  readonly #fields: Record<string, string> = Object.create(null)
  readonly #end: Promise<void>
  #fieldBytes = 0
  #file: Promise<UploadedFile> | undefined
  #fail: (error: unknown) => void = () => undefined

  constructor(request: FormSource, limits: FormLimits) {
    this.#request = request
    this.#limits = limits
    this.#parser = createParser(request, limits)
    this.#end = new Promise<void>((resolve, reject) => {
      this.#fail = (error) => {
        reject(error)
        this.abandon()
      }
      this.#parser.once('close', resolve)
    })
    // Whoever waits hears of it; nobody need be waiting.
    this.#end.catch(() => undefined)
    this.#listen()
  }

  async read(): Promise<Form> {
    this.#request.pipe(this.#parser)
    const firstFile = new Promise<void>((resolve) => this.#parser.once('file', () => resolve()))
    await Promise.race([firstFile, this.#end])
    const file = await this.#file
    return { fields: this.#fields, file, abandon: () => this.abandon() }
  }

  abandon(): void {
    this.#request.unpipe(this.#parser)
    this.#parser.on('error', () => undefined)
    // Not at once: busboy does not expect to be destroyed by one of its own events.
    setImmediate(() => this.#parser.destroy())
  }

  #listen(): void {
    const parser = this.#parser
    const brokeOff = () =>
      this.#fail(new Fault('request.not_form', 'The form broke off before its end: send it again.'))
    parser.on('field', (name, value, { valueTruncated }) => {
      try {
        this.#takeField(name, value, valueTruncated)
      } catch (error) {
        // Thrown into the parser it would end the process.
        this.#fail(error)
      }
    })
    parser.on('file', (_part, stream, { filename, mimeType }) => {
      // Whoever reads it hears of its errors; nobody need be reading.
      stream.on('error', () => undefined)
      if (this.#file !== undefined) {
        stream.resume()
        return this.#fail(new Fault('request.invalid', 'Send one file at a time.'))
      }
      this.#file = this.#takeFile(stream, filename, mimeType)
      this.#file.catch(() => undefined)
    })
    for (const event of ['fieldsLimit', 'partsLimit']) parser.on(event, () => this.#fail(this.#tooManyFields()))
    parser.on('error', brokeOff)
    this.#request.once('error', brokeOff)
    this.#request.once('aborted', brokeOff)
  }

  // busboy's types do not know that a part may have no name, and a value a character set that nobody knows.
  #takeField(name: string | undefined, value: string | undefined, isCut: boolean): void {
    if (name === undefined) throw new Fault('request.invalid', 'A field of the form has no name.')
    if (value === undefined)
      throw new Fault('request.invalid', `The character set of the field ${name.slice(0, 64)} is unknown: send UTF-8.`)
    this.#fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (isCut || name.length > maxNameLength || this.#fieldBytes > this.#limits.maxFieldBytes)
      throw this.#tooManyFields()
    addMember(this.#fields, name, value)
  }

  async #takeFile(stream: Readable, filename: string | undefined, mimeType: string): Promise<UploadedFile> {
    stream.once('limit', () => this.#fail(tooLarge(this.#limits.maxFileBytes)))
    const name = checkedFilename(filename ?? '')
    const pieces: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
    const first: Buffer[] = []
    for (let bytes = 0; bytes <= memoryBytes;) {
      const piece = await this.#next(pieces)
      if (piece === undefined) {
        await this.#end
        return createFile(name, mimeType, async function* () {
          yield* first
        })
      }
      first.push(piece)
      bytes += piece.length
    }
    return createFile(name, mimeType, () => this.#rest(first, pieces))
  }

  /** What is in memory, what follows on the wire, and then nothing more of the form. */
  async *#rest(first: readonly Buffer[], pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
    yield* first
    const seen = Object.keys(this.#fields).length
    for (let piece = await this.#next(pieces); piece !== undefined; piece = await this.#next(pieces)) yield piece
    await this.#end
    if (Object.keys(this.#fields).length > seen)
      throw new Fault('request.invalid', `Put every field before a file of more than ${memoryBytes} bytes.`)
  }

  async #next(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
    try {
      const { done, value } = await pieces.next()
      return done === true ? undefined : value
    } catch {
      // The file fails with the form, and that knows why.
      await this.#end
      throw new Fault('request.not_form', 'The file broke off before its end: send it again.')
    }
  }

  #tooManyFields(): Fault {
    return new Fault(
      'request.too_large',
      `The form has more than ${maxFields} fields, or more than ${this.#limits.maxFieldBytes} bytes of them (http.maxBodyBytes).`,
    )
  }
}

function createParser({ headers }: FormSource, limits: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        fields: maxFields,
        fieldSize: limits.maxFieldBytes,
        // busboy calls a file too large that is as large as its limit.
        fileSize: limits.maxFileBytes + 1,
        parts: maxFields + 2,
      },
    })
  } catch {
    throw new Fault('request.not_form', 'The Content-Type of the form names no boundary (RFC 7578 §4.1).')
  }
}

function createFile(filename: string, mimeType: string, content: () => AsyncIterable<Buffer>): UploadedFile {
  return {
    filename,
    mimeType,
    content,
    async bytes(maxBytes) {
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of content()) {
        size += piece.length
        if (size > maxBytes) throw new Fault('request.too_large', `This file must have ${maxBytes} bytes at most.`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
  }
}

function checkedFilename(filename: string): string {
  if (!isPlainText(filename) || /\p{Cc}/u.test(filename) || filename.length > maxFilenameLength)
    throw new Fault(
      'request.invalid',
      `The name of the file must have ${maxFilenameLength} characters at most, and no control characters.`,
    )
  return filename
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('request.too_large', `The file is larger than ${maxBytes} bytes (the setting files.maxBytes).`)
}
