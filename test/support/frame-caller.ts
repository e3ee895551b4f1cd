import { connect } from 'node:net'
import {
  createFrameReader,
  createFrameWriter,
  type KeeperOperation,
  keeperOperations,
  type Operation,
  operations,
  outcomes,
} from '../../src/hsm/protocol/frame.ts'

export type FrameAnswer = { readonly fields: readonly Buffer[] } | { readonly fault: string; readonly detail: string }

/** Sends one frame to the token host at this socket, as any process that may connect can. */
export function ask(socket: string, operation: Operation, fields: readonly Uint8Array[]): Promise<FrameAnswer> {
  return send(socket, operations.indexOf(operation), fields)
}

/** Sends one frame to the keeper. */
export function askKeeper(
  socket: string,
  operation: KeeperOperation,
  fields: readonly Uint8Array[],
): Promise<FrameAnswer> {
  return send(socket, keeperOperations.indexOf(operation), fields)
}

function send(socket: string, code: number, fields: readonly Uint8Array[]): Promise<FrameAnswer> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket)
    const read = createFrameReader((answer) => {
      const replied = answer.fields.map((field) => Buffer.from(field))
      const [fault = '', detail = ''] = replied.map(String)
      resolve(answer.code === outcomes.done ? { fields: replied } : { fault, detail })
      connection.destroy()
    })
    connection.on('data', read).once('error', reject)
    connection.once('close', () => reject(new Error('the connection ended without an answer')))
    createFrameWriter(connection).write(1, code, fields)
  })
}
