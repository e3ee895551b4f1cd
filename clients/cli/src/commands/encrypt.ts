import { StrongroomError } from '@strongroom/client'
import type { Command } from 'commander'
import { callBytes, checkBinary, checkSink, onePiece, openSource, writeStream, type Sink } from '../byte-stream.ts'
import type { Connection } from '../connection.ts'
import { Refusal, UsageError } from '../exit-code.ts'
import { counted, createFileProgress } from '../file-progress.ts'
import { connected, type Invocation } from '../invocation.ts'
import { keyOf } from '../lookup.ts'

interface EncryptOptions extends Sink {
  readonly aad?: string
}

export function addEncrypt(program: Command): void {
  program
    .command('encrypt')
    .description('encrypt standard input, or a file of any size, with a key of a vault')
    .argument('<key>', 'VAULT/KEY')
    .argument('[file]', 'the file to encrypt; - for standard input of any size')
    .option('--output <file>', 'write here, for the owner alone, in place of standard output')
    .option('--force', 'replace the file of --output where it is there')
    .option('--aad <text>', 'additional data, which decryption needs again; it is not a secret')
    .addHelpText(
      'after',
      `
Without FILE, standard input becomes one ciphertext of text, as columns of a database hold it; a key that is not there
yet is made. With FILE, the key has to be there, and what comes out is a file in the format of @strongroom/client: a
data key of its own, encrypted under the key, and the content under it. The content itself does not leave this machine.

Examples:
  echo -n '4111 1111 1111 1111' | strongroom-cli encrypt Shop/cards --aad 'customer 17'
  strongroom-cli encrypt Backups/daily dump.sql --output dump.sql.srs`,
    )
    .action(connected(encrypt))
}

async function encrypt(
  { client }: Connection,
  { terminal }: Invocation,
  reference: string,
  file: string | undefined,
  { aad, ...sink }: EncryptOptions,
) {
  const key = await keyOf(client, reference)
  const bound = aad === undefined ? {} : { aad }
  if (file === undefined) {
    const plaintext = await terminal.input()
    if (plaintext.length > callBytes)
      throw new UsageError(`Standard input has more than ${callBytes} bytes: give - as the file, or its name.`)
    checkSink(sink)
    const ciphertext = await key.encrypt(plaintext, bound)
    if (sink.output === undefined) return { json: { ciphertext }, text: `${ciphertext}\n` }
    return writeStream(onePiece(Buffer.from(`${ciphertext}\n`)), sink, terminal).then(() => undefined)
  }
  checkBinary(sink, terminal.isShown)
  checkSink(sink)
  const { bytes, size } = openSource(file, terminal)
  const progress = createFileProgress(terminal, file)
  try {
    await writeStream(key.encryptStream(counted(bytes, size, progress), bound), sink, terminal)
  } catch (error) {
    // The appliance makes a key for a text, and none for a data key.
    if (!(error instanceof StrongroomError) || error.code !== 'key.not_found') throw error
    throw new Refusal(
      `There is no key ${reference}. The first text makes one: echo | strongroom-cli encrypt '${reference}'`,
      { cause: error },
    )
  } finally {
    progress.end()
  }
  return undefined
}
