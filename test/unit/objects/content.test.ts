import { describe, expect, it } from 'vitest'
import { addedTo, noContent, readValues } from '../../../src/features/objects/content.ts'
import { readObject } from '../../../src/features/objects/read-records.ts'
import { builtInTemplates } from '../../../src/features/templates/built-in.ts'
import type { Field, Template } from '../../../src/features/templates/template.ts'

const [server] = builtInTemplates
if (server === undefined) throw new Error('no template')

const withField = (name: string, change: Partial<Field>): Template => ({
  ...server,
  fields: server.fields.map((field) => (field.name === name ? { ...field, ...change } : field)),
})
const values = { host: 'h', username: 'netops', password: 'p' }

function saved(template: Template, members: object, before = noContent) {
  const partial = before !== noContent
  const addition = {
    template,
    name: undefined,
    values: readValues(template, { ...members }, { partial, filename: undefined }),
    upload: undefined,
  }
  const place = { id: 1, vaultId: 1, parentId: 0, templateId: 1, children: 0, version: 1 }
  const change = addedTo(before, addition, (value) => value.length < 4)
  return { ...readObject({ ...place, ...change }), searchText: change.searchText }
}

describe('an object whose template has changed', () => {
  it('shows a value no more once it was saved as a secret', () => {
    const before = saved(server, values)
    expect(before).toMatchObject({ fields: { username: 'netops' }, searchText: expect.stringContaining('netops') })
    const after = saved(withField('username', { encrypted: true }), { username: 'netops' }, before)
    expect(after.fields).not.toHaveProperty('username')
    expect(after.searchText).not.toContain('netops')
  })
})

describe('what a search looks through', () => {
  const long = '€'.repeat(65_536)
  it('are all short values, and the beginning of the longest', () => {
    const { searchText, fields } = saved(server, { ...values, host: long, username: 'Netops', info: 'Rack 7' })
    expect(searchText).toHaveLength(16_384)
    expect(searchText).toMatch(/\nnetops\n/)
    expect(searchText).toMatch(/\nrack 7\n€+$/)
    expect(fields['host']).toBe(long)
  })
  it('ends with no half of a character', () => {
    const { searchText } = saved(server, { ...values, objectname: 'x', info: '\u{1f511}'.repeat(20_000) })
    const odd = saved(server, { ...values, host: 'hh', info: '\u{1f511}'.repeat(20_000) }).searchText
    for (const text of [searchText, odd]) expect(text.endsWith('\u{1f511}')).toBe(true)
  })
})

describe('values', () => {
  it.each(['0', '7', '100'])('%s is progress', (info) => {
    expect(saved(withField('info', { type: 'progress' }), { ...values, info }).fields).toMatchObject({ info })
  })
  it.each(['-1', '101', '1.5', 'half', '007'])('%s is no progress', (info) => {
    expect(() => saved(withField('info', { type: 'progress' }), { ...values, info })).toThrow(/0 to 100/)
  })
  it('of a dropdown are its options', () => {
    const template = withField('info', { type: 'dropdown', options: ['red', 'green'] })
    expect(saved(template, { ...values, info: 'red' }).fields).toMatchObject({ info: 'red' })
    expect(saved(template, { ...values, info: '' }).fields).toMatchObject({ info: '' })
    expect(() => saved(template, { ...values, info: 'blue' })).toThrow('info must be one of red, green.')
  })
  it('that break the policy are known by their fields', () => {
    const weak = saved(server, values)
    expect([weak.weakFields, weak.status]).toEqual([['password'], 1152])
    const edited = saved(server, { info: 'x' }, weak)
    expect([edited.weakFields, edited.status]).toEqual([['password'], 1152])
    expect(saved(server, { password: 'longer' }, edited)).toMatchObject({ weakFields: [], status: 128 })
  })
})

describe('the derived name', () => {
  it('is never a secret', () => {
    expect(saved(withField('host', { encrypted: true }), values).name).toBe('netops')
    const closed = { ...server, fields: server.fields.map((field) => ({ ...field, encrypted: true })) }
    expect(saved(closed, values).name).toBe('Server')
  })
})
