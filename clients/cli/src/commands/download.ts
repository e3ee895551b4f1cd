import type { Command } from 'commander'
import { checkSink, onePiece, writeStream } from '../byte-stream.ts'
import type { Connection } from '../connection.ts'
import { Refusal } from '../exit-code.ts'
import { createFileProgress } from '../file-progress.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { readObjectReference } from '../reference.ts'

export function addDownload(program: Command): void {
  program
    .command('download')
    .description('get the file of an object')
    .argument('<reference>', 'VAULT/OBJECT')
    .argument('[file]', 'where to write it, for the owner alone; its own name when absent, - for standard output')
    .option('--force', 'replace the file where it is there')
    .addHelpText('after', '\nExample:\n  strongroom-cli download Servers/Keys/server.key')
    .action(connected(download))
}

async function download(
  { client, watch }: Connection,
  { terminal }: Invocation,
  reference: string,
  file: string | undefined,
  { force = false }: { readonly force?: boolean },
) {
  const { object } = await createLookup(client).object(readObjectReference(reference))
  if (object.fileinfo === undefined) throw new Refusal(`${reference} holds no file: use strongroom-cli get.`)
  const target = file ?? ownName(object.fileinfo.name)
  const sink = target === '-' ? {} : { output: target, force }
  checkSink(sink)
  const progress = createFileProgress(terminal, target)
  watch(progress)
  try {
    const answer = await client.call('object.read', { params: { objectid: object.id }, query: { filedata: true } })
    if (answer.FILEDATA === undefined) throw new Refusal(`The answer holds no file of ${reference}.`)
    const content = Buffer.from(answer.FILEDATA, 'base64')
    await writeStream(onePiece(content), sink, terminal)
    if (target === '-') return undefined
    return { json: { file: target, bytes: content.length }, text: `Wrote ${target}, ${content.length} bytes.\n` }
  } finally {
    progress.end()
  }
}

/**
 * Checks the file name, which another member of the vault chose: it must not lead out of this folder, be hidden, or look
 * like another.
 */
function ownName(name: string): string {
  if (/^[^./\\\p{Cc}\p{Bidi_Control}-][^/\\\p{Cc}\p{Bidi_Control}]*$/u.test(name)) return name
  throw new Refusal('The name of the file is none for this folder: say where to write it.')
}
