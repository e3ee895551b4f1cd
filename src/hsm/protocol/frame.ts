import type { Writable } from 'node:stream'
import { endOfBurst } from '../../burst.ts'
import { decodeRecord } from '../key-record.ts'

/**
 * The frames between `hsm/client` and `hsm/host` or `hsm/keeper`: a big-endian 4-byte length of what follows, a 4-byte id that the
 * reply repeats, one byte of operation or outcome, then fields of 4-byte length and bytes.
 */
export interface Frame {
  readonly id: number
  /** An operation in a request, an outcome in a reply. */
  readonly code: number
  readonly fields: readonly Buffer[]
}

/** Who answers frames, as sentences name it. */
export type FrameProcess = 'keeper' | 'token host'

/** What token hosts do; the code of an operation is its index in this list. */
export const operations = [
  'ping',
  'status',
  'random',
  'verify',
  'generate',
  'importSecret',
  'encrypt',
  'decrypt',
  'createVaultKey',
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

/** The same for the keeper. */
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
] as const
export type KeeperOperation = (typeof keeperOperations)[number]

export const outcomes = { done: 0, fault: 1 } as const

/** Above the largest upload that the API admits, with room for its frame. */
export const frameLimitBytes = 80 * 1024 * 1024
/** What is larger waits on a lane of its own, because it holds up what comes after it. */
export const largePayloadBytes = 64 * 1024

const headBytes = 4
const frameHeadBytes = 5
const firstPartBytes = 1024 * 1024
/** What a writer keeps for its next large frame. */
const keptBytes = 1024 * 1024

/**
 * Takes the chunks of a socket and gives whole frames. A frame's fields are good until the receiver returns or keeps
 * them; they are memory of their own frame, so the receiver may zero them. `hold` is told how much memory an unfinished
 * frame takes, and 0 when it is whole. Throws RangeError on a frame that is no frame.
 */
export function createFrameReader(
  receive: (frame: Frame) => void,
  hold: (bytes: number) => void = () => undefined,
): (chunk: Buffer) => void {
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
    // What a client only announces takes little.
    partial = Buffer.allocUnsafeSlow(Math.min(lengthBytes, Math.max(firstPartBytes, rest.length)))
    filledBytes = moveInto(partial, 0, rest.subarray(headBytes))
    hold(partial.length)
  }

  /** Makes room for the whole frame once its first part is there. */
  const grow = (part: Buffer): Buffer => {
    const whole = Buffer.allocUnsafeSlow(lengthBytes)
    moveInto(whole, 0, part)
    hold(lengthBytes)
    return whole
  }

  return (chunk) => {
    let rest = head.length === 0 ? chunk : Buffer.concat([head, chunk])
    head = Buffer.alloc(0)
    if (partial !== undefined) {
      if (partial.length < lengthBytes && filledBytes + rest.length > partial.length) partial = grow(partial)
      const moved = moveInto(partial, filledBytes, rest)
      filledBytes += moved
      if (filledBytes < lengthBytes) return
      const whole = partial
      partial = undefined
      hold(0)
      receive(parseFrame(whole))
      rest = rest.subarray(moved)
    }
    while (rest.length >= headBytes && rest.length >= headBytes + frameLength(rest)) {
      const end = headBytes + frameLength(rest)
      receive(parseFrame(rest.subarray(headBytes, end)))
      rest = rest.subarray(end)
    }
    if (rest.length > 0) begin(rest)
  }
}

// What is copied may be a secret: the copy is zeroed by its receiver, the source here.
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

/** Bytes of a frame on the wire. */
export function frameBytes(fields: readonly Uint8Array[]): number {
  return fields.reduce((bytes, field) => bytes + headBytes + field.length, headBytes + frameHeadBytes)
}

export interface FrameWriter {
  /** The fields are copied when the tick ends; they must stay as they are until then. */
  write(id: number, code: number, fields: readonly Uint8Array[]): void
}

/**
 * Writes the frames of one tick with one call, because a call costs more than a small frame; what was written is
 * zeroed.
 */
export function createFrameWriter(socket: Writable): FrameWriter {
  let waiting: { id: number; code: number; fields: readonly Uint8Array[]; bytes: number }[] = []
  let kept: Buffer | undefined

  // V8 marks the whole heap for every 64 MiB of new buffers: half of what a file cost were these.
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
    socket.write(chunk, () => wipeAndKeep(chunk))
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
