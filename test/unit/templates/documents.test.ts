import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtInTemplates } from '../../../src/features/templates/built-in.ts'
import { templateEntry } from '../../../src/features/templates/template-json.ts'
import { examineTemplate } from '../../../src/features/templates/template-document.ts'

const read = (url: string): unknown => JSON.parse(readFileSync(new URL(url, import.meta.url), 'utf8'))
type Json = Record<string, unknown>
const example = () => read('../../../config/template.example.json') as { INFO: Json; STRUCTURE: Record<string, Json> }

function problems(change: (document: ReturnType<typeof example>) => void): readonly string[] {
  const document = example()
  change(document)
  const examined = examineTemplate(document)
  return 'problems' in examined ? examined.problems : []
}

describe('a template document', () => {
  it('of the example is good, and is what it is written as', () => {
    const examined = examineTemplate(example())
    if ('problems' in examined) throw new Error(examined.problems.join('\n'))
    const { INFO, STRUCTURE } = templateEntry(examined.template)
    expect(INFO).toEqual({ id: '1001', name: 'Server/IP', ico: 'ico_server', active: true, wb: true })
    expect(Object.keys(STRUCTURE)).toEqual(['host', 'ip', 'username', 'password', 'info', 'cryptedinfo'])
    expect(examineTemplate({ INFO, STRUCTURE })).toEqual(examined)
  })

  it('of each template of the appliance could be one of the site, with another id', () => {
    for (const [at, template] of builtInTemplates.entries()) {
      const site = { ...template, id: 2000 + at }
      expect(examineTemplate(JSON.parse(JSON.stringify(templateEntry(site))))).toEqual({ template: site })
    }
  })

  it('keeps every attribute that there is', () => {
    const attributes = { options: ['a', 'b'], options_default: 'b', placeholder: 'choose', log: true }
    const examined = examineTemplate({
      INFO: {
        id: 1002,
        name: 'All',
        ico: 'ico_pin',
        active: false,
        wb: false,
        ed: true,
        jp: true,
        hid: true,
        file: 'crt,pem',
      },
      STRUCTURE: {
        file1: { translation: 'File', type: 'file' },
        kind: { translation: 'Kind', type: 'dropdown', ...attributes },
      },
    })
    expect('template' in examined && templateEntry(examined.template)).toMatchObject({
      INFO: { active: false, wb: false, ed: true, jp: true, hid: true, file: 'crt,pem' },
      STRUCTURE: { kind: attributes },
    })
  })

  type Change = Parameters<typeof problems>[0]
  const info =
    (member: string, value: unknown): Change =>
    (document) =>
      void (document.INFO[member] = value)
  const field =
    (name: string, more: Json = {}): Change =>
    (document) =>
      void (document.STRUCTURE[name] = { translation: 'X', type: 'text', ...more })
  const bad: readonly (readonly [string, Change, RegExp])[] = [
    ['an id of the appliance', info('id', '20'), /^INFO\.id: must be a whole number from 1001/],
    ['an id below zero', info('id', -1), /^INFO\.id/],
    ['a hexadecimal id', info('id', '0x400'), /^INFO\.id/],
    ['a huge id', info('id', 1e12), /^INFO\.id/],
    ['half an id', info('id', 1001.5), /^INFO\.id/],
    ['no id', info('id', undefined), /^INFO\.id/],
    ['an empty name', info('name', ''), /^INFO\.name: must not be empty/],
    ['a name of 65 characters', info('name', 'x'.repeat(65)), /^INFO\.name: must have 64/],
    ['a line end in the name', info('name', 'a\nb'), /^INFO\.name: must not hold control/],
    ['an icon that nobody can draw', info('ico', 'ico_dragon'), /^INFO\.ico: expected one of "ico_server"/],
    ['an unknown member', info('colour', 'red'), /unrecognized key: "colour"/i],
    ['text for a switch', info('active', 'yes'), /^INFO\.active/],
    ['a file template without file1', info('file', '*'), /^INFO\.file: and a field file1/],
    ['extensions with dots', info('file', '.crt'), /^INFO\.file: must be \*/],
    ['file1 without a file template', field('file1', { type: 'file' }), /^INFO\.file: and a field file1/],
    ['a file of another name', field('upload', { type: 'file' }), /^STRUCTURE\.upload: must be called file1/],
    ['a number as name', field('12'), /^STRUCTURE\.12: must be called by/],
    ['capitals in the name', field('Password'), /^STRUCTURE\.Password: must be called by/],
    ['blanks in the name', field('a b'), /must be called by/],
    ['a name of 65 characters', field('x'.repeat(65)), /must be called by/],
    ['an unknown type', field('x', { type: 'colour' }), /^STRUCTURE\.x\.type/],
    ['no label', field('x', { translation: undefined }), /^STRUCTURE\.x\.translation/],
    ['an unknown attribute', field('x', { onblur: 'alert(1)' }), /^STRUCTURE\.x: unrecognized key: "onblur"/],
    ['a password in the open', field('x', { type: 'text-passwdgen' }), /^STRUCTURE\.x: is a password and must be/],
    ['a secret in the log', field('x', { encrypted: true, log: true }), /^STRUCTURE\.x: .*must not be logged/],
    ['an alarm for what is open', field('x', { alarm: true }), /^STRUCTURE\.x: has alarm/],
    ['a policy for what is open', field('x', { policy: true }), /^STRUCTURE\.x: has policy/],
    ['a dropdown of nothing', field('x', { type: 'dropdown' }), /^STRUCTURE\.x: must have options/],
    ['options of a text', field('x', { options: ['a'] }), /^STRUCTURE\.x: must have options/],
    [
      'a default that is no option',
      field('x', { type: 'dropdown', options: ['a'], options_default: 'b' }),
      /options_default/,
    ],
    ['no fields', (document) => void (document.STRUCTURE = {}), /^STRUCTURE: must have 1 to 100 fields/],
    ['a list of fields', (document) => void Object.assign(document, { STRUCTURE: [] }), /^STRUCTURE/],
    ...['token', 'templateid', 'groupid', 'parentid', 'objectname', 'id', 'public', 'crypted', 'constructor'].map(
      (name): readonly [string, Change, RegExp] => [
        `a field called ${name}`,
        field(name),
        /has a name that objects use/,
      ],
    ),
  ]
  it.each(bad)('is refused for %s, and says where', (_what, change, words) => {
    expect(problems(change)).toEqual(expect.arrayContaining([expect.stringMatching(words)]))
  })

  it('is refused for 101 fields, and for a name that reaches prototypes', () => {
    const many = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [`f${at}`, { translation: 'X', type: 'text' }]),
    )
    expect(problems((document) => void (document.STRUCTURE = many as never))).toEqual([
      'STRUCTURE: must have 1 to 100 fields',
    ])
    const hidden = JSON.parse('{"__proto__":{"translation":"X","type":"text"}}') as never
    expect(problems((document) => void (document.STRUCTURE = hidden))).not.toEqual([])
  })

  it('that is none at all is refused', () => {
    for (const other of [null, undefined, 7, 'x', [], {}, { INFO: 1, STRUCTURE: 2 }])
      expect(examineTemplate(other)).toHaveProperty('problems')
  })
})
