/** @koa/multer brings no types, and those of multer know neither `streamHandler` nor Koa. */
declare module '@koa/multer' {
  import type { Readable, Writable } from 'node:stream'

  export interface ReceivedFile {
    readonly originalname: string
    readonly mimetype: string
    /** Only while `_handleFile` runs. */
    readonly stream: Readable
  }

  export interface StorageEngine {
    /** Calls back when the file is stored; until then the form is not done. */
    _handleFile(request: Readable, file: ReceivedFile, stored: (error: unknown) => void): void
    /** Removes a file that was stored, when the form turns out bad. */
    _removeFile(request: Readable, file: ReceivedFile, removed: (error: null) => void): void
  }

  export interface Options {
    readonly storage: StorageEngine
    readonly defParamCharset: string
    readonly limits: {
      readonly files: number
      readonly fields: number
      readonly parts: number
      readonly fieldSize: number
      readonly fileSize: number
      readonly fieldNestingDepth: number
    }
    /** Feeds the body to the parser, which is busboy. */
    readonly streamHandler: (request: Readable, parser: Writable) => void
  }

  export default function createMulter(options: Options): {
    /** Takes a file whatever its part is called. */
    any(): (context: { readonly req: Readable }, next: () => Promise<void>) => Promise<void>
  }
}
