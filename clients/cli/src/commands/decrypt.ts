import type { Command } from 'commander'
import { checkSink, onePiece, openSource, writeStream, type Sink } from '../byte-stream.ts'
import type { Connection } from '../connection.ts'
import { Refusal, UsageError } from '../exit-code.ts'
import { counted, createFileProgress } from '../file-progress.ts'
import { connected, type Invocation } from '../invocation.ts'
import { keyOf } from '../lookup.ts'

interface DecryptOptions extends Sink {
  readonly aad?: string
}

export function addDecrypt(program: Command): void {
  program
    .command('decrypt')
    .description('decrypt what encrypt made')
    .argument('<key>', 'VAULT/KEY')
    .argument('[file]', 'the encrypted file; - for one on standard input')
    .option('--output <file>', 'write here, for the owner alone, in place of standard output')
    .option('--force', 'replace the file of --output where it is there')
    .option('--aad <text>', 'the additional data of the encryption')
    .addHelpText(
      'after',
      `
Without FILE, standard input is one ciphertext of text. A file of --output is there as a whole or not at all. On standard
output what was changed or cut shows by the exit code, after what came before it: use nothing until then.

Examples:
  strongroom-cli decrypt Shop/cards --aad 'customer 17' <ciphertext
  strongroom-cli decrypt Backups/daily dump.sql.srs --output dump.sql`,
    )
    .action(connected(decrypt))
}

async function decrypt(
  { client }: Connection,
  { terminal }: Invocation,
  reference: string,
  file: string | undefined,
  { aad, ...sink }: DecryptOptions,
) {
  checkSink(sink)
  const key = await keyOf(client, reference)
  const bound = aad === undefined ? {} : { aad }
  if (file === undefined) {
    const ciphertext = (await terminal.input()).toString().trim()
    if (ciphertext.startsWith('SRS1'))
      throw new UsageError('Standard input is an encrypted file, and no ciphertext of text: give - as the file.')
    const plaintext = await key.decrypt(ciphertext, bound)
    if (sink.output === undefined)
      return { json: { plaintext: Buffer.from(plaintext).toString('base64') }, text: plaintext }
    return writeStream(onePiece(plaintext), sink, terminal).then(() => undefined)
  }
  const { bytes, size } = openSource(file, terminal)
  const progress = createFileProgress(terminal, file)
  try {
    await writeStream(key.decryptStream(counted(bytes, size, progress), bound), sink, terminal)
  } catch (error) {
    // The client throws a RangeError for a stream that was changed, cut off or is in another format.
    throw error instanceof RangeError ? new Refusal(`${file}: ${error.message}`, { cause: error }) : error
  } finally {
    progress.end()
  }
  return undefined
}
