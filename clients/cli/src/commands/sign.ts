import { Option, type Command } from 'commander'
import { createHash } from 'node:crypto'
import { callBytes, openSource } from '../byte-stream.ts'
import type { Connection } from '../connection.ts'
import { UsageError } from '../exit-code.ts'
import { connected, type Invocation } from '../invocation.ts'
import { keyOf } from '../lookup.ts'

interface SignOptions {
  readonly hash?: 'sha2-256' | 'sha2-384' | 'sha2-512'
  readonly padding?: 'pss' | 'pkcs1v15'
  readonly form?: 'asn1' | 'jws'
}

export function addSign(program: Command): void {
  program
    .command('sign')
    .description('sign standard input or a file with a key of a vault')
    .argument('<key>', 'VAULT/KEY')
    .argument('[file]', 'the file to sign; standard input when absent')
    .addOption(
      new Option('--hash <name>', 'hash of the content; that of the key when absent').choices([
        'sha2-256',
        'sha2-384',
        'sha2-512',
      ]),
    )
    .addOption(new Option('--padding <name>', 'of RSA').choices(['pss', 'pkcs1v15']))
    .addOption(new Option('--form <name>', 'of ECDSA: DER, or that of JWS').choices(['asn1', 'jws']))
    .addHelpText(
      'after',
      `
Prints the signature as the appliance writes it: service:vVERSION: and base64. With --hash, content of any size is signed:
it is hashed here. Ed25519 signs the content itself, and knows no --hash.

Example:
  strongroom-cli sign Releases/signing release.tar.gz --hash sha2-256`,
    )
    .action(connected(sign))
}

async function sign(
  { client }: Connection,
  { terminal }: Invocation,
  reference: string,
  file: string | undefined,
  { hash, padding, form }: SignOptions,
) {
  const key = await keyOf(client, reference)
  const input = await digestOrContent(openSource(file ?? '-', terminal).bytes, hash)
  const signature = await key.sign(input, {
    ...(hash === undefined ? {} : { hashAlgorithm: hash, prehashed: true }),
    ...(padding === undefined ? {} : { signatureAlgorithm: padding }),
    ...(form === undefined ? {} : { marshalingAlgorithm: form }),
  })
  return { json: { signature }, text: `${signature}\n` }
}

async function digestOrContent(bytes: AsyncIterable<Uint8Array>, hash: SignOptions['hash']): Promise<Uint8Array> {
  if (hash !== undefined) {
    const digest = createHash(hash.replace('sha2-', 'sha'))
    for await (const piece of bytes) digest.update(piece)
    return digest.digest()
  }
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    size += piece.length
    if (size > callBytes)
      throw new UsageError(`The content has more than ${callBytes} bytes: name the hash, --hash sha2-256.`)
  }
  return Buffer.concat(pieces)
}
