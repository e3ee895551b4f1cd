import { type Socket, connect } from 'node:net'
import { Fault, type FaultCode, faultCodes } from '../../fault.ts'
import { type Frame, type FrameWriter, createFrameReader, createFrameWriter, outcomes } from '../protocol/frame.ts'

export interface HostConnectionEvents {
  /** The host can be written to. */
  up(): void
  /** The connection, or the try to make one, is gone with every request that it carried; another try follows by itself. */
  down(wasUp: boolean): void
  reply(frame: Frame): void
}

/** A connection to one token host that comes back by itself until it is closed. */
export interface HostConnection {
  readonly socket: string
  isUp(): boolean
  /** Why the last try to connect failed. */
  reason(): string | undefined
  write: FrameWriter['write']
  close(): void
}

const firstPauseMs = 50
const longestPauseMs = 1_000

export function connectHost(path: string, events: HostConnectionEvents): HostConnection {
  let socket: Socket | undefined
  let writer: FrameWriter | undefined
  let pauseMs = firstPauseMs
  let timer: NodeJS.Timeout | undefined
  let reason: string | undefined
  let isClosed = false

  const open = () => {
    const opened = (socket = connect(path))
    const read = createFrameReader((frame) => events.reply(frame))
    opened.once('connect', () => {
      pauseMs = firstPauseMs
      reason = undefined
      writer = createFrameWriter(opened)
      events.up()
    })
    opened.on('data', (chunk) => {
      try {
        read(chunk)
      } catch (error) {
        opened.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    opened.once('error', (error) => (reason = error.message))
    opened.once('close', () => {
      const wasUp = writer !== undefined
      writer = undefined
      reason ??= 'The token host closed the connection.'
      events.down(wasUp)
      if (isClosed) return
      timer = setTimeout(open, pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    })
  }

  open()
  return {
    socket: path,
    isUp: () => writer !== undefined,
    reason: () => reason,
    write(id, code, fields) {
      writer?.write(id, code, fields)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.destroy()
    },
  }
}

/** The fields of a reply; throws the Fault that the host answered with. */
export function fieldsOf(reply: Frame): readonly Buffer[] {
  if (reply.code === outcomes.done) return reply.fields
  const code = reply.fields[0]?.toString()
  const detail = reply.fields[1]?.toString()
  const known = faultCodes.find((candidate): candidate is FaultCode => candidate === code)
  throw new Fault(known ?? 'internal', detail === '' ? undefined : detail)
}
