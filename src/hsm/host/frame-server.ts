import { type Server, type Socket, createServer } from 'node:net'
import type { Log } from '../../log.ts'
import { Fault } from '../../fault.ts'
import {
  createFrameReader,
  createFrameWriter,
  type Frame,
  frameBytes,
  type FrameWriter,
  operations,
  outcomes,
} from '../protocol/frame.ts'
import type { Dispatch } from './dispatch.ts'
import type { RequestQueue } from './request-queue.ts'

const pingCode = operations.indexOf('ping')

export interface FrameServerOptions {
  readonly dispatch: Dispatch
  readonly queue: RequestQueue
  readonly log: Log
}

/** Answers the frames of clients, not listening yet. It keeps nothing between two requests. */
export function createFrameServer(options: FrameServerOptions): Server {
  return createServer((socket) => serve(socket, options))
}

function serve(socket: Socket, { dispatch, queue, log }: FrameServerOptions): void {
  const writer = createFrameWriter(socket)
  const answer = (frame: Frame) => reply(writer, frame, dispatch, log)
  const refuse = (frame: Frame, detail: string) => {
    writeFault(writer, frame, new Fault('hsm.unavailable', detail))
    wipe(frame)
  }
  const read = createFrameReader((frame) => {
    // A heartbeat does not wait behind the work: it asks whether the process answers, and a hung module holds it up in
    // any case.
    if (frame.code === pingCode) return answer(frame)
    const isQueued = queue.add({
      bytes: frameBytes(frame.fields),
      arrivedMs: performance.now(),
      run: () => answer(frame),
      expire: () => refuse(frame, 'The token took longer than hsm.deadlineMs.'),
    })
    if (!isQueued) refuse(frame, 'More operations wait than hsm.queue allows.')
  })
  socket.on('error', (error) => log.debug({ error: error.message }, 'connection lost'))
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'connection closed: not our protocol')
      socket.destroy()
    }
  })
}

function reply(writer: FrameWriter, frame: Frame, dispatch: Dispatch, log: Log): void {
  try {
    writer.write(frame.id, outcomes.done, dispatch(frame))
  } catch (error) {
    if (!(error instanceof Fault)) log.error({ err: error }, 'operation failed')
    else if (error.cause instanceof Error)
      log.debug({ code: error.code, cause: error.cause.message }, 'operation refused')
    writeFault(writer, frame, error instanceof Fault ? error : new Fault('internal'))
  } finally {
    wipe(frame)
  }
}

/** Plaintext and enrolled secrets came in these fields. */
function wipe({ fields }: Frame): void {
  for (const field of fields) field.fill(0)
}

function writeFault(writer: FrameWriter, { id }: Frame, { code, detail }: Fault): void {
  writer.write(id, outcomes.fault, [Buffer.from(code), Buffer.from(detail ?? '')])
}
