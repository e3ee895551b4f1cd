import { PassThrough, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createFrameReader,
  createFrameWriter,
  type Frame,
  frameBytes,
  frameLimitBytes,
} from '../../../src/hsm/protocol/frame.ts'

const frames = fc.array(
  fc.record({
    id: fc.nat(0xffff_ffff),
    code: fc.nat(255),
    fields: fc.array(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      { maxLength: 6 },
    ),
  }),
  { minLength: 1, maxLength: 8 },
)

async function written(list: readonly Frame[]): Promise<Buffer> {
  const stream = new PassThrough()
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)))
  const writer = createFrameWriter(stream)
  for (const { id, code, fields } of list) writer.write(id, code, fields)
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return Buffer.concat(chunks)
}

function read(bytes: Buffer, cuts: readonly number[]): Frame[] {
  const found: Frame[] = []
  const push = createFrameReader(({ id, code, fields }) =>
    found.push({ id, code, fields: fields.map((field) => Buffer.from(field)) }),
  )
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, end] of places.entries()) push(Buffer.from(bytes.subarray(places[index - 1] ?? 0, end)))
  return found
}

/** A length and what follows it. */
const head = (length: number, ...rest: number[]) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return Buffer.concat([bytes, Buffer.from(rest)])
}

describe('frames', () => {
  it('come a few at a time where no more are asked for', async () => {
    await fc.assert(
      fc.asyncProperty(frames, fc.integer({ min: 1, max: 3 }), fc.nat(), async (list, most, cut) => {
        const bytes = await written(list)
        const found: number[] = []
        const push = createFrameReader(({ id }) => found.push(id))
        const place = cut % (bytes.length + 1)
        for (let rest of [bytes.subarray(0, place), bytes.subarray(place)]) {
          while (rest.length > 0) {
            const before = found.length
            rest = push(Buffer.from(rest), most)
            expect(found.length - before).toBeLessThanOrEqual(most)
          }
        }
        expect(found).toEqual(list.map(({ id }) => id))
      }),
    )
  })

  it('come out as they went in, however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(frames, fc.array(fc.nat(), { maxLength: 12 }), async (list, cuts) => {
        const bytes = await written(list)
        expect(bytes).toHaveLength(list.reduce((sum, { fields }) => sum + frameBytes(fields), 0))
        expect(read(bytes, cuts)).toEqual(list)
      }),
    )
  })

  it('come out byte by byte too', async () => {
    const list = [{ id: 7, code: 9, fields: [Buffer.from('a'), Buffer.alloc(0), Buffer.from('bc')] }]
    const bytes = await written([...list, ...list])
    expect(
      read(
        bytes,
        Array.from(bytes, (_, at) => at),
      ),
    ).toEqual([...list, ...list])
  })

  it('of some size come out as they went in while others are on their way, and leave nothing in memory', async () => {
    const tick = () => new Promise((resolve) => setImmediate(resolve))
    const came: Buffer[] = []
    const memory: Buffer[] = []
    const socket = new Writable({
      // A slow one: the next frame is written before this has left.
      async write(chunk: Buffer, _encoding, done) {
        for (let left = 3; left > 0; left--) await tick()
        came.push(Buffer.from(chunk))
        memory.push(chunk)
        done()
      },
    })
    const writer = createFrameWriter(socket)
    const sent = Array.from({ length: 9 }, (_, at) => Buffer.alloc(200_000 + 50_000 * (at % 3), at + 1))
    for (const [id, field] of sent.entries()) {
      writer.write(id, 1, [field])
      for (let left = id % 3; left > 0; left--) await tick()
    }
    while (came.length < 1 || Buffer.concat(came).length < sent.reduce((sum, { length }) => sum + length, 0))
      await tick()
    await tick()
    const arrived = read(Buffer.concat(came), []).flatMap(({ fields }) => fields)
    expect(arrived.map((field, at) => sent[at]?.equals(field))).toEqual(sent.map(() => true))
    expect(memory.every((chunk) => chunk.equals(Buffer.alloc(chunk.length)))).toBe(true)
    // One after another, they need no memory each.
    expect(new Set(memory.map(({ buffer }) => buffer)).size).toBeLessThan(memory.length)
  })

  it('are written with one write per tick', async () => {
    const stream = new PassThrough()
    let writes = 0
    stream.on('data', () => writes++)
    const writer = createFrameWriter(stream)
    for (let id = 0; id < 100; id++) writer.write(id, 1, [Buffer.from('x')])
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(writes).toBe(1)
  })

  it('are refused when they are too long, too short, or their fields run over', () => {
    for (const bytes of [
      head(frameLimitBytes + 1),
      head(0xffff_ffff),
      head(4),
      head(0),
      head(9, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    ]) {
      expect(() => read(bytes, [])).toThrow(RangeError)
    }
  })
})
