import type { Command } from 'commander'
import type { Connection } from '../connection.ts'
import { Refusal, UsageError } from '../exit-code.ts'
import { connected, several, type Invocation } from '../invocation.ts'
import { createLookup, fieldNamed, type Field, type Lookup } from '../lookup.ts'
import { readFieldReference, type FieldPlace } from '../reference.ts'
import type { Terminal } from '../terminal.ts'

interface SetOptions {
  readonly create?: string
  readonly field?: readonly string[]
}

export function addSet(program: Command): void {
  program
    .command('set')
    .description('change one field of an object, or make the object')
    .argument('<reference>', 'VAULT/OBJECT/FIELD')
    .option('--create <template>', 'make the object, of this template: its name, or id:NUMBER')
    .option('--field <name=value>', 'with --create: another field, which is not secret; may be repeated', several)
    .addHelpText(
      'after',
      `
The value comes from standard input, of which one line break at its end is left out; at a terminal it is asked for,
and is one line. It cannot stand on the command line, where other users of the machine would see it.

Examples:
  strongroom-cli generate | strongroom-cli set Servers/db1/password
  strongroom-cli set Servers/db2/password --create Login --field host=db2.example.com --field username=app`,
    )
    .action(connected(set))
}

async function set(connection: Connection, { terminal }: Invocation, text: string, options: SetOptions) {
  const place = readFieldReference(text)
  const lookup = createLookup(connection.client)
  const isNew = options.create !== undefined
  const { objectid, general } = isNew
    ? await create(connection, lookup, place, options, terminal)
    : await edit(connection, lookup, place, options, terminal)
  if (general.includes('BAD_POLICY'))
    terminal.complain('It is saved, and yet breaks the password policy of the vault: strongroom-cli generate --help.')
  return {
    json: { objectid, reference: text, created: isNew },
    text: `${isNew ? 'Made' : 'Changed'} ${text} (id:${objectid}).\n`,
  }
}

async function edit(
  { client }: Connection,
  lookup: Lookup,
  place: FieldPlace,
  options: SetOptions,
  terminal: Terminal,
) {
  if (options.field !== undefined) throw new UsageError('--field belongs to --create: change fields one by one.')
  const { object, fields } = await lookup.object(place)
  checkText(fieldNamed(place.field, object, fields))
  const body = { [place.field]: await newValue(terminal) }
  return savedOf(await client.call('object.edit', { params: { objectid: object.id }, body }))
}

async function create(
  { client }: Connection,
  lookup: Lookup,
  place: FieldPlace,
  options: SetOptions,
  terminal: Terminal,
) {
  const path = place.path.slice(0, -1)
  const last = place.path.at(-1)
  if (last === undefined || 'id' in last) throw new UsageError('An object that is to be made has a name and no id yet.')
  const { vault, parentid } = await lookup.folder({ vault: place.vault, path })
  const { OBJECTS } = await lookup.contents(vault)
  if (OBJECTS.some((one) => one.objectname === last.name && one.parentid === parentid))
    throw new Refusal(`There is an object named ${last.name} already: leave out --create to change it.`)
  const { TEMPLATE } = await client.call('template.list')
  const templateid = templateNamed(
    options.create ?? '',
    TEMPLATE.map(({ INFO }) => INFO),
  )
  const { TEMPLATES } = await client.call('template.read', { params: { templateid } })
  const [template] = TEMPLATES
  if (template === undefined) throw new Refusal('There is no such template.')
  const within = { objectname: `Template ${template.info.name}` }
  checkText(fieldNamed(place.field, within, template.structure))
  const open = (options.field ?? []).map((text) => openField(text, within, template.structure))
  const body = {
    groupid: vault.id,
    templateid: template.id,
    parentid,
    objectname: last.name,
    ...Object.fromEntries(open),
    [place.field]: await newValue(terminal),
  }
  return savedOf(await client.call('object.create', { body }))
}

function openField(text: string, within: { objectname: string }, fields: readonly Field[]): [string, string] {
  const [, name, value] = /^([^=]+)=([^]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new UsageError('Write --field NAME=VALUE.')
  if (fieldNamed(name, within, fields).encrypted)
    throw new UsageError(
      `${name} is a secret, which cannot stand on the command line: make it with strongroom-cli set.`,
    )
  return [name, value]
}

function templateNamed(wanted: string, known: readonly { readonly id: string; readonly name: string }[]): string {
  const found = known.find(({ id, name }) => name === wanted || `id:${id}` === wanted)
  if (found === undefined)
    throw new Refusal(`There is no template ${wanted}. There are: ${known.map(({ name }) => name).join(', ')}.`)
  return found.id
}

function checkText({ fieldname, type }: Field): void {
  if (type === 'file') throw new UsageError(`${fieldname} is a file: use strongroom-cli upload.`)
}

async function newValue(terminal: Terminal): Promise<string> {
  if (!terminal.isInteractive) {
    const bytes = await terminal.input()
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, '')
    } catch (cause) {
      throw new UsageError('Fields are text, and standard input is no UTF-8: use strongroom-cli upload for files.', {
        cause,
      })
    }
  }
  const value = await terminal.askValue('Value: ')
  if (value === undefined)
    throw new UsageError(
      'What was pasted has several lines: nothing was changed. Give it by standard input: strongroom-cli set REFERENCE < FILE.',
    )
  if ((await terminal.askSecret('Value again: ')) !== value)
    throw new UsageError('The two values differ: nothing was changed, try again.')
  return value
}

const savedOf = ({ CALLINFO }: { CALLINFO?: { objectid: string; general?: readonly string[] } }) => ({
  objectid: CALLINFO?.objectid ?? '',
  general: CALLINFO?.general ?? [],
})
