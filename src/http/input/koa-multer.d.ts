/** @koa/multer has no types, and those of multer know neither `streamHandler` nor Koa. */
declare module '@koa/multer' {
  import type { Readable, Writable } from 'node:stream'

  export interface ReceivedFile {
    readonly originalname: string
    readonly mimetype: string
    /** Valid only while `_handleFile` runs. */
    readonly stream: Readable
  }

  export interface StorageEngine {
    /** Call `stored` when the file is stored; until then the form is not complete. */
    _handleFile(request: Readable, file: ReceivedFile, stored: (error: unknown) => void): void
    /** Removes a stored file when the form turns out to be invalid. */
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
    /** Accepts a file under any part name. */
    any(): (context: { readonly req: Readable }, next: () => Promise<void>) => Promise<void>
  }
}
