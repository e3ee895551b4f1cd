import { BackupError } from './backup-error.ts'

/** One file of an archive. Owner and group are names, because their numbers differ between machines. */
export interface TarHead {
  readonly name: string
  readonly size: number
  readonly mode: number
  readonly owner: string
  readonly group: string
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number
}

export interface TarEntry extends TarHead {
  readonly content: AsyncIterable<Uint8Array>
}

const blockBytes = 512
const mostOctal = 8 ** 11

/** Writes POSIX.1-1988 ustar, which `tar` reads. Sizes from 8 GiB on have the base-256 form of GNU and BSD tar. */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield headBlock(entry)
    let left = entry.size
    for await (const piece of entry.content) {
      left -= piece.length
      yield piece
    }
    if (left !== 0) throw new BackupError(`${entry.name} changed its size while it was read: make the backup again.`)
    yield Buffer.alloc(paddingOf(entry.size))
  }
  yield Buffer.alloc(2 * blockBytes)
}

const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

function headBlock({ name, size, mode, owner, group, modifiedAt }: TarHead): Buffer {
  const block = Buffer.alloc(blockBytes)
  const [file, prefix] = splitName(name)
  block.write(file, 0, 100)
  block.write(octal(mode, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  writeSize(block, size)
  block.write(octal(Math.floor(modifiedAt / 1000), 11), 136)
  block.write('        0', 148)
  block.write('ustar\u000000', 257)
  block.write(owner, 265, 31)
  block.write(group, 297, 31)
  block.write(prefix, 345, 155)
  block.write(`${octal(checksum(block), 6)}\0 `, 148)
  return block
}

function splitName(name: string): [file: string, prefix: string] {
  if (Buffer.byteLength(name) <= 100) return [name, '']
  const slash = name.indexOf('/', Math.max(0, name.length - 101))
  const [prefix, file] = [name.slice(0, slash), name.slice(slash + 1)]
  if (slash <= 0 || Buffer.byteLength(prefix) > 155 || Buffer.byteLength(file) > 100)
    throw new BackupError(`The name ${name} is too long for a backup: rename the file.`)
  return [file, prefix]
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

function writeSize(block: Buffer, size: number): void {
  if (size < mostOctal) return void block.write(octal(size, 11), 124)
  block.writeUInt8(0x80, 124)
  block.writeBigUInt64BE(BigInt(size), 128)
}

/** The sum of all bytes, with the checksum field counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 0
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 32 : byte
  return sum
}

const damaged = (): BackupError => new BackupError('The backup is damaged inside: take another one.')

/**
 * Reads the format of `writeTar`. The content of an entry must be read before the next entry is requested; the unread
 * rest is skipped.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = createPieceReader(source)
  for (;;) {
    const block = await reader.exactly(blockBytes)
    if (block.every((byte) => byte === 0)) break
    const head = readHead(block)
    let left = head.size
    const content = async function* (): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const piece = await reader.atMost(left)
        left -= piece.length
        yield piece
      }
    }
    yield { ...head, content: content() }
    while (left > 0) left -= (await reader.atMost(left)).length
    await reader.exactly(paddingOf(head.size))
  }
  // Read to the end, because decryption and decompression complete their checks only there.
  await reader.rest()
}

function readHead(block: Buffer): TarHead {
  if (Number.parseInt(textAt(block, 148, 8), 8) !== checksum(block) || textAt(block, 257, 6) !== 'ustar')
    throw damaged()
  const prefix = textAt(block, 345, 155)
  const isLarge = (block.readUInt8(124) & 0x80) !== 0
  return {
    name: `${prefix === '' ? '' : `${prefix}/`}${textAt(block, 0, 100)}`,
    size: isLarge ? Number(block.readBigUInt64BE(128)) : numberAt(block, 124, 12),
    mode: numberAt(block, 100, 8) & 0o777,
    owner: textAt(block, 265, 32),
    group: textAt(block, 297, 32),
    modifiedAt: numberAt(block, 136, 12) * 1000,
  }
}

const textAt = (block: Buffer, at: number, bytes: number): string =>
  block.toString('utf8', at, at + bytes).split('\0', 1)[0] ?? ''

const numberAt = (block: Buffer, at: number, bytes: number): number => Number.parseInt(textAt(block, at, bytes), 8)

/** Reads pieces of chosen sizes from a stream. */
function createPieceReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]()
  let held: Uint8Array = Buffer.alloc(0)
  async function atMost(bytes: number): Promise<Uint8Array> {
    while (held.length === 0) {
      const next = await pieces.next()
      if (next.done === true) throw damaged()
      held = next.value
    }
    const piece = held.subarray(0, bytes)
    held = held.subarray(piece.length)
    return piece
  }
  return {
    atMost,
    async exactly(bytes: number): Promise<Buffer> {
      const parts: Uint8Array[] = []
      for (let left = bytes; left > 0; left -= parts.at(-1)?.length ?? 0) parts.push(await atMost(left))
      return Buffer.concat(parts)
    },
    async rest(): Promise<void> {
      while ((await pieces.next()).done !== true);
    },
  }
}
