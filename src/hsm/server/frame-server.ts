import { chmodSync, chownSync, lstatSync, statSync, unlinkSync } from 'node:fs'
import { type Server, type Socket, createServer } from 'node:net'
import { dirname } from 'node:path'
import { errorMessageOf, Fault } from '../../fault.ts'
import {
  createFrameReader,
  createFrameWriter,
  type Frame,
  type FrameProcess,
  frameBytes,
  type FrameWriter,
  outcomes,
} from '../protocol/frame.ts'
import { isServed } from '../protocol/served-socket.ts'
import type { Journal } from './journal.ts'
import type { SendReply, RequestQueue } from './request-queue.ts'
import type { UnfinishedFrames } from './unfinished-frames.ts'

/** `ping`, the first operation in every list. */
const pingCode = 0

/**
 * A worker has one. An attacker who opened as many as the process may have files would leave none for the token's module,
 * and connections take 5.5 KB each.
 */
export const mostConnections = 1_024

/**
 * About how many frames are received in one turn of the event loop, of all connections together. The rest waits for the
 * next turn: otherwise pings that a worker sends without end would silence the process until the supervisor ends it.
 */
export const framesPerTurn = 2_048

/** Performs the operation of a frame. Returns the fields of the reply. Throws Fault. */
export type Dispatch = (frame: Frame) => Uint8Array[]

export interface FrameServerOptions {
  readonly dispatch: Dispatch
  readonly queue: RequestQueue
  /** Of the frames that come. */
  readonly unfinished: UnfinishedFrames
  /** Of the replies. */
  readonly unread: UnfinishedFrames
  readonly log: Journal
}

/** Creates a server that answers the frames of clients. It does not listen yet, and keeps no state between requests. */
export function createFrameServer(options: FrameServerOptions): Server {
  let connections = 0
  const share = () => Math.max(1, Math.floor(framesPerTurn / connections))
  const server = createServer((socket) => {
    connections += 1
    socket.once('close', () => (connections -= 1))
    serve(socket, share, options)
  })
  server.maxConnections = mostConnections
  let dropped = 0
  // Workers cannot be told from one another, so that one of them can take the connections of all. The journal says so.
  server.on('drop', () => {
    if (isPowerOfTwo((dropped += 1)))
      options.log.warn({ dropped, mostConnections }, 'connection refused: as many as are allowed are open')
  })
  return server
}

/** `share`: how many frames of this connection are received in one turn. */
function serve(
  socket: Socket,
  share: () => number,
  { dispatch, queue, unfinished, unread, log }: FrameServerOptions,
): void {
  const holding = { giveUp: () => void socket.destroy() }
  const writer = createFrameWriter(socket, (bytes) => unread.hold(holding, socket.destroyed ? 0 : bytes))
  const answer = (frame: Frame) => reply(writer, frame, dispatch, log)
  const refuse = (frame: Frame, detail: string) => {
    writeFault(writer, frame, new Fault('hsm.unavailable', detail))
    wipe(frame)
  }
  const receive = (frame: Frame) => {
    // A heartbeat does not wait in the queue. It asks whether the process answers, and a hanging module delays it in
    // any case.
    if (frame.code === pingCode) return answer(frame)()
    queue.add({
      from: socket,
      bytes: frameBytes(frame.fields),
      arrivedMs: performance.now(),
      run: () => answer(frame),
      refuse: (detail) => refuse(frame, detail),
    })
  }
  const read = createFrameReader(receive, (bytes) => unfinished.hold(holding, bytes))
  socket.once('close', () => {
    for (const held of [unfinished, unread]) held.hold(holding, 0)
  })
  socket.on('error', (error) => log.debug({ error: error.message }, 'connection lost'))
  const take = (chunk: Buffer) => {
    // The connection was given up; its memory is left to the garbage collector.
    if (socket.destroyed) return
    try {
      const rest = read(chunk, share())
      if (rest.length > 0) {
        // What waits is one chunk, of 64 KiB at most.
        socket.pause()
        setImmediate(take, rest)
      } else if (socket.isPaused()) socket.resume()
    } catch (error) {
      log.warn({ error: errorMessageOf(error) }, 'connection closed: not our protocol')
      socket.destroy()
    }
  }
  socket.on('data', take)
}

/** For a line of the journal at the 1st, 2nd, 4th, 8th … time. */
const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0

/** Performs the operation. The returned function sends the reply. */
function reply(writer: FrameWriter, frame: Frame, dispatch: Dispatch, log: Journal): SendReply {
  const refuse = (error: unknown) => {
    if (!(error instanceof Fault)) log.error({ err: error }, 'operation failed')
    else if (error.cause instanceof Error)
      log.debug({ code: error.code, cause: error.cause.message }, 'operation refused')
    writeFault(writer, frame, error instanceof Fault ? error : new Fault('internal'))
  }
  try {
    const fields = dispatch(frame)
    return (lost) => {
      if (lost === undefined) writer.write(frame.id, outcomes.done, fields)
      else refuse(lost)
    }
  } catch (error) {
    return (lost) => refuse(lost ?? error)
  } finally {
    wipe(frame)
  }
}

/** Zeroes the fields of a request, which may contain plaintext or secrets. */
function wipe({ fields }: Frame): void {
  for (const field of fields) field.fill(0)
}

function writeFault(writer: FrameWriter, { id }: Frame, { code, detail, retryAfterMs }: Fault): void {
  const fields = [code, detail ?? '', String(retryAfterMs ?? '')]
  writer.write(
    id,
    outcomes.fault,
    fields.map((field) => Buffer.from(field)),
  )
}

export interface SocketUse {
  /** The setting that names the socket. */
  readonly setting: string
  readonly process: FrameProcess
  /** Id of a group whose members may use the socket beside its owner. */
  readonly group?: number | undefined
}

/**
 * Makes `server` listen on a unix socket. Replaces a socket that a dead process left. Throws when another process
 * serves the socket, when the file is no socket, and when other users own its folder or can write to it: they could
 * replace the socket by one of their own.
 */
export async function listenOn(server: Server, path: string, use: SocketUse): Promise<void> {
  const { setting, group } = use
  const folder = statSync(dirname(path))
  if ((folder.mode & 0o022) !== 0) {
    throw new Error(
      `Others may write to ${dirname(path)}, the folder of the socket in ${setting}: chmod go-w ${dirname(path)}`,
    )
  }
  if (folder.uid !== 0 && folder.uid !== process.getuid?.()) {
    throw new Error(`${dirname(path)}, the folder of the socket in ${setting}, belongs to another user: chown it`)
  }
  await removeStale(path, use)
  const before = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ path }, resolve)
    })
  } finally {
    process.umask(before)
  }
  if (group === undefined) return
  // The group is set before the mode, which would otherwise open the socket to the process's own group. Connecting
  // needs the right to write (unix(7)).
  chownSync(path, -1, group)
  chmodSync(path, 0o660)
}

/** Makes `server` listen on a socket from systemd. The first one is descriptor 3 (sd_listen_fds(3)). */
export function listenOnPassed(server: Server, fd = 3): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ fd }, resolve)
  })
}

async function removeStale(path: string, { setting, process }: SocketUse): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false })
  if (file === undefined) return
  if (!file.isSocket()) throw new Error(`${path} in ${setting} is a file, but no socket: name another path`)
  if (await isServed(path)) throw new Error(`Another ${process} serves ${path}: stop it, or change ${setting}`)
  unlinkSync(path)
}
