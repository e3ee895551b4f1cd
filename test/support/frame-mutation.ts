import { encodeRecord } from '../../src/hsm/key-record.ts'

// Frames of the protocol between workers and keeper or token hosts, and the changes that an attacker makes to them.

/** Mulberry32: gives the same numbers for the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export interface GoodFrame {
  readonly code: number
  readonly fields: readonly Buffer[]
}

export function frameOf({ code, fields }: GoodFrame, id = 1): Buffer {
  const body = Buffer.concat(fields.flatMap((field) => [uint32(field.length), field]))
  return Buffer.concat([uint32(5 + body.length), uint32(id), Buffer.from([code]), body])
}

type Random = ReturnType<typeof createRandom>

/** Spoils a good frame in a random way. Returns its bytes on the wire. */
export function mutated(good: GoodFrame, random: Random): Buffer {
  const way = ways[random(ways.length)]
  if (way === undefined) throw new RangeError('no such way')
  return way(good, random)
}

const pick = <T>(list: readonly T[], random: Random): T => {
  const found = list[random(list.length)]
  if (found === undefined) throw new RangeError('an empty list')
  return found
}

const oddTexts = ['', '-1', '0', '1e9', '1e309', 'NaN', '0x10', '9007199254740993', '../../x', '\0', '1'.repeat(5_000)]
const oddLengths = [0, 1, 4, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 80 * 1024 * 1024, 80 * 1024 * 1024 + 1]

const ways: readonly ((good: GoodFrame, random: Random) => Buffer)[] = [
  // Flips bits anywhere in the frame, its length and id included.
  (good, random) => {
    const bytes = frameOf(good)
    for (let flips = 1 + random(8); flips > 0; flips--) flip(bytes, random(bytes.length), random(8))
    return bytes
  },
  // Flips bits of the fields.
  (good, random) => {
    const bytes = frameOf(good)
    const behindHead = 9
    if (bytes.length > behindHead) flip(bytes, behindHead + random(bytes.length - behindHead), random(8))
    return bytes
  },
  (good, random) => frameOf(good).subarray(0, random(frameOf(good).length)),
  // Writes a wrong length.
  (good, random) => {
    const bytes = frameOf(good)
    bytes.writeUInt32BE(pick(oddLengths, random), good.fields.length === 0 || random(4) === 0 ? 0 : 9)
    return bytes
  },
  (good, random) => frameOf({ ...good, code: random(256) }),
  (good, random) => frameOf({ ...good, fields: good.fields.slice(0, random(good.fields.length + 1)) }),
  (good, random) => frameOf({ ...good, fields: good.fields.filter(() => random(4) > 0) }),
  (good, random) => frameOf({ ...good, fields: good.fields.toSorted(() => random(3) - 1) }),
  (good, random) =>
    frameOf({
      ...good,
      fields: good.fields.map((field) => (random(3) === 0 ? Buffer.from(pick(oddTexts, random)) : field)),
    }),
  (good, random) =>
    frameOf({ ...good, fields: good.fields.map((field) => (random(3) === 0 ? pick(good.fields, random) : field)) }),
  // Changes the content or the type of records.
  (good, random) =>
    frameOf({
      ...good,
      fields: good.fields.map((field) =>
        random(3) === 0
          ? encodeRecord(
              Array.from({ length: random(20) }, () => pick(['user', 'grant', 1, null, '', 'transparent key'], random)),
            )
          : field,
      ),
    }),
  (good, random) =>
    frameOf({ ...good, fields: Array.from({ length: random(5_000) }, () => Buffer.alloc(random(3), random(256))) }),
  (_good, random) => Buffer.from(Array.from({ length: random(400) }, () => random(256))),
]

function flip(bytes: Buffer, at: number, bit: number): void {
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
