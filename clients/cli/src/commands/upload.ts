import type { Command } from 'commander'
import { basename } from 'node:path'
import { contentOf, type Connection } from '../connection.ts'
import { Refusal, UsageError } from '../exit-code.ts'
import { createFileProgress } from '../file-progress.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { readPlace, writtenName } from '../reference.ts'

interface UploadOptions {
  readonly name?: string
  readonly replace?: boolean
}

export function addUpload(program: Command): void {
  program
    .command('upload')
    .description('keep a file in a vault')
    .argument('<file>', 'the file; - for standard input, which needs --name')
    .argument('<place>', 'VAULT, or VAULT/FOLDER')
    .option('--name <name>', 'name of the object and its file; that of the file when absent')
    .option('--replace', 'put the file into the object of that name, where there is one')
    .addHelpText(
      'after',
      `
The appliance holds files of up to 64 MiB, unless it is set otherwise; strongroom-cli encrypt takes any size.

Example:
  strongroom-cli upload server.key Servers/Keys`,
    )
    .action(connected(upload))
}

async function upload(
  { client, watch }: Connection,
  { terminal }: Invocation,
  file: string,
  place: string,
  { name = basename(file), replace = false }: UploadOptions,
) {
  if (name === '-') throw new UsageError('Give --name NAME for what comes from standard input.')
  const content = new Blob([file === '-' ? await terminal.input() : contentOf(file)])
  const lookup = createLookup(client)
  const { vault, parentid } = await lookup.folder(readPlace(place))
  const { OBJECTS } = await lookup.contents(vault)
  const known = OBJECTS.filter((one) => one.parentid === parentid && one.objectname === name)
  const [earlier] = known
  if (earlier !== undefined && (!replace || known.length > 1))
    throw new Refusal(
      `${place} holds ${known.length === 1 ? 'an object' : 'objects'} named ${name} already: give --name${known.length === 1 ? ', or --replace' : ''}.`,
    )
  if (earlier !== undefined && earlier.fileinfo === undefined) throw new Refusal(`${place}/${name} is not a file.`)
  const progress = createFileProgress(terminal, name)
  watch(progress)
  try {
    const sent = { name, content }
    const { CALLINFO } =
      earlier === undefined
        ? await client.call('object.create', { body: { groupid: vault.id, parentid, objectname: name }, file: sent })
        : await client.call('object.edit', { params: { objectid: earlier.id }, body: {}, file: sent })
    const id = CALLINFO?.objectid ?? ''
    const reference = `${place}/${writtenName(name)}`
    return {
      json: { id, reference, bytes: content.size, replaced: earlier !== undefined },
      text: `${earlier === undefined ? 'Made' : 'Replaced'} ${reference} (id:${id}), ${content.size} bytes.\n`,
    }
  } finally {
    progress.end()
  }
}
