import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../../src/fault.ts'
import { beginsLikeJson, tokenAtStart } from '../../../src/http/input/body-start.ts'

async function contentOf(stream: Readable): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

describe('the beginning of a body', () => {
  it.each([
    ['{"a":1}', true],
    [' \r\n\t{', true],
    [`${' '.repeat(1_024)}{`, true],
    [`${' '.repeat(1_025)}{`, false],
    [' '.repeat(5_000), false],
    ['--boundary\r\n{', false],
    ['[{}]', false],
    ['\u00a0{', false],
  ])('%j is one of JSON: %s, in one piece and byte by byte, and nothing of it is lost', async (text, isJson) => {
    const bytes = Buffer.from(text)
    for (const pieces of [[bytes], Array.from(bytes, (byte) => Buffer.of(byte))]) {
      const stream = Readable.from(pieces, { objectMode: false })
      expect(await beginsLikeJson(stream, undefined)).toBe(isJson)
      expect(await contentOf(stream)).toBe(text)
    }
  })

  it('that never comes is none', async () => {
    for (const end of [(stream: PassThrough) => stream.end(), (stream: PassThrough) => stream.destroy()]) {
      const stream = new PassThrough()
      const answer = beginsLikeJson(stream, undefined)
      stream.write(' ')
      end(stream)
      expect(await answer).toBe(false)
    }
  })

  it('is no longer waited for where the worker has no room', async () => {
    const stream = new PassThrough()
    let refuse = (_fault: Fault): void => undefined
    const answer = beginsLikeJson(stream, { onRefusal: (by) => void (refuse = by) })
    refuse(new Fault('appliance.busy'))
    await expect(answer).rejects.toMatchObject({ code: 'appliance.busy' })
    expect(stream.listenerCount('data')).toBe(0)
  })
})

describe('the session token in the beginning of JSON', () => {
  const token = 'aB3'.repeat(14)

  it.each([
    `{"token":"${token}"}`,
    `\ufeff \n{ "token" :\t"${token}" , "backup":"AAAA`,
    `{"a":"b","c":-1.5e+3,"d":null,"e":true,"token":"${token}","backup":"AAAA`,
    `{"token":"${token}","token":"${'x'.repeat(42)}","backup":"AAAA`,
  ])('is found in %s', (start) => expect(tokenAtStart(start)).toBe(token))

  it.each([
    '',
    '{',
    `"token":"${token}"`,
    `[{"token":"${token}"}]`,
    `{"a":{"token":"${token}"}}`,
    `{"a":["x"],"token":"${token}"}`,
    `{"a":"\\"","token":"${token}"}`,
    `{"a":"{\\"token\\":\\"${token}\\"}"}`,
    `{"token":"${token}x"}`,
    `{"token":"${token}`,
    `{"Token":"${token}"}`,
    `{"a":"b" "token":"${token}"}`,
  ])('is not found in %s', (start) => expect(tokenAtStart(start)).toBeUndefined())

  it.each([
    ['members', '"a":1,'.repeat(700)],
    ['tokens', `"token":"${token}x",`.repeat(80)],
    ['one number', `"a":${'1'.repeat(4_000)}`],
    ['quotes', '"'.repeat(4_000)],
    ['blanks', `"a"${' '.repeat(4_000)}`],
    ['blanks between members', `"a" : 1 ,${' '.repeat(40)}`.repeat(80)],
  ])('is looked for in no time among %s', (_what, text) => {
    const tries = Array.from({ length: 100 }, () => {
      const begun = performance.now()
      tokenAtStart(`{${text}`)
      return performance.now() - begun
    })
    // That which the machine disturbed least.
    expect(Math.min(...tries)).toBeLessThan(1)
  })
})
