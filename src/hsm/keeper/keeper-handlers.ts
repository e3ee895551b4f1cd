import type { KeeperOperation } from '../protocol/frame.ts'
import type { RequestFields } from '../server/request-fields.ts'

/** Answers one operation: reads the fields of a request, and returns those of the reply. */
export type KeeperHandler = (fields: RequestFields) => Uint8Array[]

/** The handlers of some operations. */
export type KeeperHandlers = { readonly [operation in KeeperOperation]?: KeeperHandler }
