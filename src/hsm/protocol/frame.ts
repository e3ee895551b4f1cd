import type { Writable } from 'node:stream'
import { endOfBurst } from '../../burst.ts'
import { decodeRecord } from '../key-record.ts'

/**
 * A frame between `hsm/client` and `hsm/host` or `hsm/keeper`: a big-endian 4-byte length of the rest, a 4-byte id that
 * the reply repeats, one byte of operation or outcome, then fields, each with a 4-byte length.
 */
export interface Frame {
  readonly id: number
  /** The operation of a request, or the outcome of a reply. */
  readonly code: number
  readonly fields: readonly Buffer[]
}

/** The kind of process that answers frames, for messages. */
export type FrameProcess = 'keeper' | 'token host'

/** Operations of token hosts. The code of an operation is its index in this list. */
export const operations = [
  'ping',
  'status',
  'random',
  'verify',
  'generate',
  'importSecret',
  'encrypt',
  'decrypt',
  'auditPublicKey',
  'kindSupport',
  'importKey',
  'exportKey',
  'exportPlain',
  'createTokenObject',
  'destroyObject',
  'encryptMany',
  'decryptMany',
  'rewrapMany',
  'sign',
  'verifySignature',
  'hmac',
  'verifyHmac',
  'sealBackup',
  'verifyBackup',
  'restoreKey',
  'makeDataKey',
  'signValidation',
  'verifyValidation',
] as const
export type Operation = (typeof operations)[number]

/** Operations of the keeper, coded likewise. */
export const keeperOperations = [
  'ping',
  'status',
  'seal',
  'sealNew',
  'lastAuditEnd',
  'signAuditEnd',
  'auditKeys',
  'succeedAuditKey',
  'raise',
  'grant',
  'endSessions',
  'rewrapVersion',
  'login',
  'checkOtp',
  'useOtp',
  'resynchroniseOtp',
  'newPassphraseCheck',
  'matchesPassphrase',
  'applicationKeyCheck',
  'seedCheck',
  'privateIdCheck',
  'sessionTokenSuccessor',
  'sealAnew',
  'sealEarlier',
  'endTakeover',
  'acceptRestored',
  'sealFirstCount',
  'signImportJob',
  'grantRotation',
  'takeOverKey',
  'takeOverVaultKey',
  'acceptOtp',
  'sealTombstone',
  'sealUnused',
  'floorNews',
  'takeFloors',
  'signManifest',
  'copyState',
  'raiseOtps',
  'serviceLogin',
  'freshGrant',
  'passkeyChallenge',
  'restoredShown',
  'knownSubjects',
  'checkVaultNumber',
  'noteRoots',
  'permitObject',
] as const
export type KeeperOperation = (typeof keeperOperations)[number]

export const outcomes = { done: 0, fault: 1 } as const

/** More than the largest upload that the API accepts, with its frame. */
export const frameLimitBytes = 80 * 1024 * 1024
/** Larger requests wait in a queue of their own, because they delay those behind them. */
export const largePayloadBytes = 64 * 1024

const noBytes = Buffer.alloc(0)
const headBytes = 4
const frameHeadBytes = 5
const firstPartBytes = 1024 * 1024
/** Largest buffer that a writer keeps for its next large frame. */
const keptBytes = 1024 * 1024

/**
 * Takes a chunk of a socket, and calls `receive` with its complete frames, of which there are at most `most`. Returns
 * what follows those, to be given again before the next chunk: nothing where all is read. Throws RangeError for an invalid
 * length.
 */
export type FrameReader = (chunk: Buffer, most?: number) => Buffer

/**
 * The fields of a frame stay valid while the receiver holds them. They are memory of that frame only, so the receiver may
 * zero them. `hold` is told how many bytes an unfinished frame occupies, and 0 when it is complete.
 */
export function createFrameReader(
  receive: (frame: Frame) => void,
  hold: (bytes: number) => void = () => undefined,
): FrameReader {
  let head = Buffer.alloc(0)
  let partial: Buffer | undefined
  let filledBytes = 0
  let lengthBytes = 0

  const begin = (rest: Buffer) => {
    if (rest.length < headBytes) {
      head = Buffer.from(rest)
      return
    }
    lengthBytes = frameLength(rest)
    // The first part is small, so that a client cannot reserve memory by a length alone.
    partial = Buffer.allocUnsafeSlow(Math.min(lengthBytes, Math.max(firstPartBytes, rest.length)))
    filledBytes = moveInto(partial, 0, rest.subarray(headBytes))
    hold(partial.length)
  }

  /** Allocates the whole frame once its first part has arrived. */
  const grow = (part: Buffer): Buffer => {
    const whole = Buffer.allocUnsafeSlow(lengthBytes)
    moveInto(whole, 0, part)
    hold(lengthBytes)
    return whole
  }

  return (chunk, most = Infinity) => {
    let rest = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    let received = 0
    head = Buffer.alloc(0)
    if (partial !== undefined) {
      if (partial.length < lengthBytes && filledBytes + rest.length > partial.length) partial = grow(partial)
      const moved = moveInto(partial, filledBytes, rest)
      filledBytes += moved
      if (filledBytes < lengthBytes) return noBytes
      const whole = partial
      partial = undefined
      hold(0)
      receive(parseFrame(whole))
      received += 1
      rest = rest.subarray(moved)
    }
    while (rest.length >= headBytes && rest.length >= headBytes + frameLength(rest)) {
      if (received === most) return rest
      received += 1
      const end = headBytes + frameLength(rest)
      receive(parseFrame(rest.subarray(headBytes, end)))
      rest = rest.subarray(end)
    }
    if (rest.length > 0) begin(rest)
    return noBytes
  }
}

// The data may be secret: the receiver zeroes the copy, and the source is zeroed here.
function moveInto(target: Buffer, at: number, source: Buffer): number {
  const moved = source.copy(target, at)
  source.fill(0, 0, moved)
  return moved
}

function frameLength(bytes: Buffer): number {
  const length = bytes.readUInt32BE()
  if (length < frameHeadBytes || length > frameLimitBytes) throw new RangeError(`a frame of ${length} bytes`)
  return length
}

function parseFrame(bytes: Buffer): Frame {
  return { id: bytes.readUInt32BE(), code: bytes.readUInt8(4), fields: decodeRecord(bytes.subarray(frameHeadBytes)) }
}

/** Length of a whole frame in bytes. */
export function frameBytes(fields: readonly Uint8Array[]): number {
  return fields.reduce((bytes, field) => bytes + headBytes + field.length, headBytes + frameHeadBytes)
}

export interface FrameWriter {
  /** Queues a frame. The fields are copied at the end of the tick and must not change until then. */
  write(id: number, code: number, fields: readonly Uint8Array[]): void
}

/**
 * Writes the frames of one tick by one call, because a call costs more than a small frame. Zeroes the buffer after it
 * was written. `hold` is told how many bytes the other side has not received yet.
 */
export function createFrameWriter(socket: Writable, hold: (bytes: number) => void = () => undefined): FrameWriter {
  let waiting: { id: number; code: number; fields: readonly Uint8Array[]; bytes: number }[] = []
  let kept: Buffer | undefined

  // V8 marks the whole heap for every 64 MiB of new buffers, which was half of the cost of a file.
  const take = (bytes: number): Buffer => {
    if (bytes <= largePayloadBytes) return Buffer.allocUnsafe(bytes)
    const memory = kept
    if (memory === undefined || memory.length < bytes) return Buffer.allocUnsafeSlow(bytes)
    kept = undefined
    return memory.subarray(0, bytes)
  }

  const wipeAndKeep = (chunk: Buffer): void => {
    chunk.fill(0)
    const { buffer } = chunk
    if (chunk.length > largePayloadBytes && buffer.byteLength <= keptBytes) kept = Buffer.from(buffer)
  }

  const flush = async () => {
    await endOfBurst(() => waiting.length)
    const frames = waiting
    waiting = []
    if (socket.destroyed) return
    const chunk = take(frames.reduce((sum, { bytes }) => sum + bytes, 0))
    let offset = 0
    for (const frame of frames) offset = encodeFrame(chunk, offset, frame)
    socket.write(chunk, () => {
      wipeAndKeep(chunk)
      hold(socket.writableLength)
    })
    hold(socket.writableLength)
  }

  return {
    write(id, code, fields) {
      waiting.push({ id, code, fields, bytes: frameBytes(fields) })
      if (waiting.length === 1) void flush()
    },
  }
}

function encodeFrame(
  target: Buffer,
  at: number,
  frame: { id: number; code: number; fields: readonly Uint8Array[]; bytes: number },
): number {
  let offset = target.writeUInt32BE(frame.bytes - headBytes, at)
  offset = target.writeUInt32BE(frame.id, offset)
  offset = target.writeUInt8(frame.code, offset)
  for (const field of frame.fields) {
    offset = target.writeUInt32BE(field.length, offset)
    target.set(field, offset)
    offset += field.length
  }
  return offset
}
