import { createCipheriv, createHash, hkdfSync } from 'node:crypto'
import { createReadStream, createWriteStream, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import type { Client } from '../../clients/node/src/client.ts'
import { open, seal, segmentBytes } from '../../clients/node/src/segments.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { failureOf, nodeClient } from './node-client-kit.ts'

interface Vector {
  readonly name: string
  readonly plaintext: { readonly bytes: number; readonly pattern: string }
  readonly dataKey: string
  readonly aad: string
  readonly salt: string
  readonly noncePrefix: string
  readonly bytes: number
  readonly sha256: string
  readonly base64?: string
}

const file = resolve(import.meta.dirname, '../vectors/streams.json')
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }
const bytes = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'))
/** Byte i is i mod 251, so that no two segments are alike. */
const patterned = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, (_, at) => at % 251)

async function* inPieces(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}
async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** The files that this process has open. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/self/fd/${handle}`)]
    } catch {
      return []
    }
  })

/** The format as its paper and Tink's page describe it, by node:crypto and in one piece. */
function byTheBook(plaintext: Uint8Array, dataKey: Buffer, aad: Buffer, salt: Buffer, prefix: Buffer): Buffer {
  const key = Buffer.from(hkdfSync('sha256', dataKey, salt, aad, 32))
  const out = [Buffer.concat([Buffer.from([40]), salt, prefix])]
  const first = segmentBytes - 40 - 16
  const rest = segmentBytes - 16
  const count = plaintext.length <= first ? 1 : 1 + Math.ceil((plaintext.length - first) / rest)
  for (let number = 0, at = 0; number < count; number++) {
    const end = number === 0 ? first : at + rest
    const nonce = Buffer.alloc(12)
    prefix.copy(nonce)
    nonce.writeUInt32BE(number, 7)
    nonce[11] = number === count - 1 ? 1 : 0
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    out.push(cipher.update(plaintext.subarray(at, end)), cipher.final(), cipher.getAuthTag())
    at = end
  }
  return Buffer.concat(out)
}

describe('segments', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))(
    'of %s are those of the vector',
    async (_name, vector) => {
      const plaintext = patterned(vector.plaintext.bytes)
      const [dataKey, aad, salt, prefix] = [vector.dataKey, vector.aad, vector.salt, vector.noncePrefix].map(bytes)
      if (!dataKey || !aad || !salt || !prefix) throw new Error('the vector lacks something')
      const sealed = await gathered(seal(dataKey, aad, inPieces(plaintext, 300_000), salt, prefix))
      expect(sealed).toHaveLength(vector.bytes)
      expect(createHash('sha256').update(sealed).digest('hex')).toBe(vector.sha256)
      if (vector.base64 !== undefined) expect(sealed.toString('base64')).toBe(vector.base64)
      const book = byTheBook(
        plaintext,
        ...([dataKey, aad, salt, prefix].map((one) => Buffer.from(one)) as [Buffer, Buffer, Buffer, Buffer]),
      )
      expect(sealed.equals(book)).toBe(true)
      expect((await gathered(open(dataKey, aad, inPieces(sealed, 70_001)))).equals(plaintext)).toBe(true)
    },
  )

  it('are refused when they are cut, swapped, doubled, changed, extended, or of other additional data', async () => {
    const dataKey = new Uint8Array(32).fill(7)
    const aad = bytes('aa')
    const sealed = await gathered(seal(dataKey, aad, inPieces(patterned(2_500_000), 1_000_000)))
    const at = [0, segmentBytes, 2 * segmentBytes, sealed.length] as const
    const [first, second, third] = [sealed.subarray(0, at[1]), sealed.subarray(at[1], at[2]), sealed.subarray(at[2])]
    const flipped = Buffer.from(sealed)
    flipped[segmentBytes + 5] = (flipped[segmentBytes + 5] ?? 0) ^ 1
    const salted = Buffer.from(sealed)
    salted[3] = (salted[3] ?? 0) ^ 1
    const spoilt: Readonly<Record<string, Buffer>> = {
      'without its last segment': Buffer.concat([first, second]),
      'without a segment': Buffer.concat([first, third]),
      'with two swapped': Buffer.concat([first, third, second]),
      'with one doubled': Buffer.concat([first, second, second, third]),
      'with a bit changed': flipped,
      'with another salt': salted,
      'cut amid a segment': sealed.subarray(0, sealed.length - 1),
      'with a byte more': Buffer.concat([sealed, Buffer.alloc(1)]),
      'with the header alone': sealed.subarray(0, 40),
      'with half a header': sealed.subarray(0, 20),
      empty: Buffer.alloc(0),
    }
    for (const [name, content] of Object.entries(spoilt))
      expect(await failureOf(gathered(open(dataKey, aad, inPieces(content, 65_536)))), name).toBeInstanceOf(RangeError)
    const other = open(dataKey, bytes('ab'), inPieces(sealed, 65_536))
    expect(await failureOf(gathered(other))).toBeInstanceOf(RangeError)
  })
})

describe('streams of the client', () => {
  const appliance = applianceForTests()
  let client: Client
  let vault: string
  beforeAll(async () => {
    client = nodeClient(appliance, await appliance.addUser())
    const { VAULT } = await client.call('vault.create', { body: { vaultname: 'Streams' } })
    vault = VAULT[0]?.id ?? ''
    await client.call('transparent.key.create', {
      params: { vaultid: vault, name: 'files' },
      body: { type: 'aes256-gcm96' },
    })
  })
  afterAll(() => client.close())

  it.each([0, 1, 1_000, 1_048_520, 1_048_521, 3_000_000])('of %i bytes come back as they were', async (length) => {
    const key = client.key(vault, 'files')
    const content = patterned(length)
    const sealed = await gathered(key.encryptStream(inPieces(content, 99_999), { aad: 'backup 7' }))
    expect(sealed.subarray(0, 4).toString()).toBe('SRS1')
    const wrapped = sealed.subarray(6, 6 + sealed.readUInt16BE(4)).toString()
    expect(wrapped).toMatch(/^service:v1:/)
    const opened = key.decryptStream(inPieces(sealed, 65_536), { aad: 'backup 7' })
    expect((await gathered(opened)).equals(content)).toBe(true)
    // In pieces of a byte each, as a slow connection gives them.
    if (length === 1_000)
      expect(await gathered(key.decryptStream(inPieces(sealed, 1), { aad: 'backup 7' }))).toHaveLength(length)
  })

  it('take streams of the web, and give them', async () => {
    const key = client.key(vault, 'files')
    const source = new Blob([patterned(2_000_000)]).stream() as unknown as ReadableStream<Uint8Array>
    const sealed = new Response(key.encryptStream(source)).body
    if (sealed === null) throw new Error('no body')
    const opened = key.decryptStream(sealed)
    expect((await gathered(opened)).equals(patterned(2_000_000))).toBe(true)
  })

  it('are refused with other additional data, under another key, and when they are no such stream', async () => {
    const key = client.key(vault, 'files')
    const sealed = await gathered(key.encryptStream(inPieces(patterned(10), 10), { aad: 'a' }))
    expect(await failureOf(gathered(key.decryptStream(inPieces(sealed, 99), { aad: 'b' })))).toMatchObject({
      number: 1507,
    })
    for (const content of [Buffer.from('SRS2'), Buffer.from('no stream at all'), Buffer.from('SR'), Buffer.alloc(0)])
      expect(await failureOf(gathered(key.decryptStream(inPieces(content, 99))))).toBeInstanceOf(RangeError)
  })

  it('end with the reason of their signal', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let count = 0; ; count++) {
        if (count === 5) stop.abort(reason)
        yield new Uint8Array(1_000_000)
      }
    }
    const sealed = client.key(vault, 'files').encryptStream(endless(), { signal: stop.signal })
    expect(await failureOf(gathered(sealed))).toBe(reason)
  })

  it('take pieces of bytes and nothing else, because what has no length would be an empty stream', async () => {
    const key = client.key(vault, 'files')
    const sources: readonly unknown[] = [Buffer.from('hello'), ['hello'], [new DataView(new ArrayBuffer(5)), 5]]
    for (const source of sources)
      expect(await failureOf(gathered(key.encryptStream(source as Uint8Array[])))).toBeInstanceOf(TypeError)
    const opened = key.decryptStream(key.encryptStream([Buffer.from('hello')]))
    expect((await gathered(opened)).toString()).toBe('hello')
  })

  it('fail with the reason, and leave no file open, whatever fails', async () => {
    const path = join(temporaryFolder(), `left-${process.pid}`)
    writeFileSync(path, patterned(3_000_000))
    const [good, missing] = [client.key(vault, 'files'), client.key(vault, 'nosuch')]
    const into = (target: string, source: ReturnType<typeof good.encryptStream>) =>
      failureOf(pipeline(source, createWriteStream(join(temporaryFolder(), target))))
    // The file is not there: its error comes while the data key is made.
    const absent = createReadStream(`${path}.absent`)
    expect(await into(`into-${process.pid}`, good.encryptStream(absent))).toMatchObject({ code: 'ENOENT' })
    expect(await failureOf(gathered(missing.encryptStream(createReadStream(path))))).toMatchObject({ number: 1500 })
    expect(await failureOf(gathered(good.decryptStream(createReadStream(path))))).toBeInstanceOf(RangeError)
    expect(await into('no/such/folder', good.encryptStream(createReadStream(path)))).toMatchObject({ code: 'ENOENT' })
    await good.encryptStream(createReadStream(path)).cancel()
    const ended: string[] = []
    const web = (name: string) =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(9)),
        cancel: () => void ended.push(name),
      })
    expect(await failureOf(gathered(missing.encryptStream(web('read'))))).toMatchObject({ number: 1500 })
    await good.encryptStream(web('not read')).cancel()
    expect(ended).toEqual(['read', 'not read'])
    await expect.poll(() => openFiles().filter((name) => name === path)).toEqual([])
  })

  it.each(['cancelled', 'aborted'])(
    'end a source that is silent when they are %s, and wait for no piece',
    async (how) => {
      const key = client.key(vault, 'files')
      const pipe = new PassThrough()
      const ended: string[] = []
      const web = new ReadableStream<Uint8Array>({ cancel: () => void ended.push('web') })
      for (const source of [pipe, web]) {
        const stop = new AbortController()
        const reader = key.encryptStream(source, { signal: stop.signal }).getReader()
        const read = reader.read().catch(String)
        await expect.poll(() => (source === web ? web.locked : pipe.listenerCount('readable') > 0)).toBe(true)
        if (how === 'cancelled') await reader.cancel()
        else stop.abort('enough')
        expect(await read).toEqual(how === 'cancelled' ? { done: true, value: undefined } : 'enough')
      }
      await expect.poll(() => [pipe.destroyed, ...ended]).toEqual([true, 'web'])
    },
  )

  it('of files take memory for some segments, whatever their length', async () => {
    const key = client.key(vault, 'files')
    const path = join(temporaryFolder(), `stream-${process.pid}`)
    const piece = patterned(1_000_000)
    async function* content(pieces: number): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < pieces; at++) yield piece
    }
    const peak = async (megabytes: number): Promise<number> => {
      let highest = 0
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().arrayBuffers)), 5)
      await pipeline(key.encryptStream(content(megabytes)), createWriteStream(path))
      let length = 0
      for await (const opened of key.decryptStream(createReadStream(path))) length += opened.length
      clearInterval(watch)
      expect(length).toBe(megabytes * 1_000_000)
      return highest
    }
    const few = await peak(30)
    expect(await peak(120)).toBeLessThan(few * 2)
  })
})
