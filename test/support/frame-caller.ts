import { connect } from 'node:net'
import {
  createFrameReader,
  createFrameWriter,
  type Operation,
  operations,
  outcomes,
} from '../../src/hsm/protocol/frame.ts'

export type FrameAnswer = { readonly fields: readonly Buffer[] } | { readonly fault: string; readonly detail: string }

/** One frame to the host at this socket, by whoever may connect to it. */
export function ask(socket: string, operation: Operation, fields: readonly Uint8Array[]): Promise<FrameAnswer> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    const read = createFrameReader(({ code, fields: replied }) => {
      const [fault = '', detail = ''] = replied.map(String)
      resolve(code === outcomes.done ? { fields: replied.map((field) => Buffer.from(field)) } : { fault, detail })
      connection.destroy()
    })
    connection.on('data', read).once('error', reject)
    createFrameWriter(connection).write(1, operations.indexOf(operation), fields)
  })
}
