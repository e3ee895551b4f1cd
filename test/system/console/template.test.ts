import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePremises, type Premises } from '../../support/console-kit.ts'

const example = join(import.meta.dirname, '../../../config/template.example.json')
let premises: Premises

beforeAll(async () => {
  premises = await makePremises({ tokenHost: false })
})
afterAll(() => premises.cleanup())

const check = async (content: string | Buffer) => {
  const file = join(premises.directory, 'template.json')
  writeFileSync(file, content)
  return await premises.run(['template', 'check', file])
}

describe('strongroom template check', () => {
  it('finds the example good, from a file or from standard input, and needs no database', async () => {
    expect(await premises.run(['template', 'check', example])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('is a good template: 1001, Server/IP.'),
    })
    expect((await premises.run(['template', 'check', '-'], '{"INFO":{}}')).status).toBe(1)
  })

  it('names file, place and remedy of each problem', async () => {
    const { status, stdout } = await check(
      '{"INFO":{"id":20,"name":"X","ico":"ico_pin"},"STRUCTURE":{"token":{"translation":"T","type":"text"},"p":{"translation":"P","type":"text-passwdgen"}}}',
    )
    expect(status).toBe(1)
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/template\.json: INFO\.id: must be a whole number from 1001/),
      expect.stringMatching(/template\.json: STRUCTURE\.token: has a name that objects use/),
      expect.stringMatching(/template\.json: STRUCTURE\.p: is a password and must be encrypted/),
    ])
  })

  const unusable: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ['nothing', '', /the file is not JSON/],
    ['no JSON', '{"INFO":', /the file is not JSON/],
    ['a list', '[]', /the file must be one JSON object/],
    ['a member twice', '{"INFO":{},"INFO":{}}', /INFO/],
    ['a member that reaches prototypes', '{"__proto__":{}}', /__proto__/],
    ['nesting without end', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, /nested deeper/],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00]), /is not UTF-8/],
    ['two megabytes', JSON.stringify({ INFO: 'x'.repeat(2_000_000) }), /larger than/],
  ]
  it.each(unusable)('refuses a file with %s', async (_what, content, words) => {
    expect(await check(content)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(words) })
  })

  it('says when there is no such file, or it is a folder', async () => {
    expect(await premises.run(['template', 'check', '/nowhere.json'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/nowhere\.json does not exist: name another file/),
    })
    expect((await premises.run(['template', 'check', premises.directory])).status).toBe(2)
  })

  it('add refuses a bad file before it opens anything', async () => {
    const file = join(premises.directory, 'bad.json')
    writeFileSync(file, '{"INFO":{"id":5,"name":"X","ico":"ico_pin"},"STRUCTURE":{}}')
    expect(await premises.run(['template', 'add', file])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/bad\.json cannot be used:\n {2}INFO\.id/),
    })
  })
})

describe('strongroom template remove', () => {
  it.each(['20', '1000', '01001', '0x3e9'])('knows without looking that %s is no id of the site', async (id) => {
    expect(await premises.run(['template', 'remove', id])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('from 1001 on'),
    })
  })
})
