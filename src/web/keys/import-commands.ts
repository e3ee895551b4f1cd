import type { ImportJob } from '../interface/calls.ts'
import { inShell } from './shell-text.ts'

/**
 * Checks the statement by the audit key that the operator gave, and takes the public key of the job out of it: what an
 * attacker put in the place of either is found before a key is wrapped to it.
 */
export const checkCommands = ({ statement, signature }: ImportJob): string =>
  [
    `printf %s ${inShell(statement)} > statement.json`,
    `printf %s ${inShell(signature)} | openssl base64 -d -A > signature.bin`,
    'openssl dgst -sha256 -verify audit-key.pem -signature signature.bin statement.json &&',
    `  sed 's/.*"public_key_der":"\\([^"]*\\)".*/\\1/' statement.json | openssl base64 -d -A |`,
    '  openssl pkey -pubin -inform DER -out job.pem',
  ].join('\n')

/** RSA-OAEP of an AES key, then AES-KWP of the key, one behind the other. */
export const wrapCommands = (isPair: boolean): string =>
  [
    ...(isPair
      ? [
          'openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.bin',
          'openssl pkey -in key.pem -pubout -outform DER -out public.der',
        ]
      : []),
    'openssl rand -out outer.bin 32',
    'openssl pkeyutl -encrypt -pubin -inkey job.pem -in outer.bin -out wrapped.bin \\',
    '  -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha1',
    'openssl enc -id-aes256-wrap-pad -iv A65959A6 \\',
    `  -K "$(od -An -v -tx1 outer.bin | tr -d ' \\n')" -in key.bin >> wrapped.bin`,
    `rm outer.bin${isPair ? ' key.bin' : ''}`,
  ].join('\n')
