import type { ImportJob, NewKeyBody } from '../interface/calls.ts'
import { inShell } from './shell-text.ts'

/** The key that the person wants to import. */
export interface AskedImport {
  readonly vaultid: string
  readonly name: string
  readonly body: NewKeyBody
}

/**
 * Lines that verify the statement with the operator's audit key, compare it with the requested import, and then extract
 * the job's public key. They find an attacker's substitute before the key is wrapped to it: a job of the attacker's
 * own, for another vault, or one that makes the key exportable.
 *
 * @param otherText What the lines print where the check fails.
 */
export const checkCommands = ({ job, statement, signature }: ImportJob, asked: AskedImport, otherText: string) =>
  inPrivate([
    'rm -f job.pem',
    `printf %s ${inShell(statement)} > statement.json`,
    `printf %s ${inShell(signature)} | openssl base64 -d -A > signature.bin`,
    'openssl dgst -sha256 -verify audit-key.pem -signature signature.bin statement.json &&',
    `  LC_ALL=C grep -qF -e ${inShell(beginningOf(job, asked))} statement.json &&`,
    `  sed 's/.*"public_key_der":"\\([^"]*\\)".*/\\1/' statement.json | openssl base64 -d -A |`,
    '  openssl pkey -pubin -inform DER -out job.pem ||',
    `  { printf '%s\\n' ${inShell(otherText)} >&2; false; }`,
  ])

/**
 * The beginning of a job's statement, byte for byte, up to the time of its end. No name or description can imitate it:
 * it has bare quotation marks, which inside a JSON string are escaped.
 */
function beginningOf(job: string, { vaultid, name, body }: AskedImport): string {
  const { type, info, allow_export, allow_plaintext_export, allow_backup, allow_delete, auto_rotate_period } = body
  const flags = { allow_export, allow_plaintext_export, allow_backup, allow_delete }
  const auto_rotate_period_ms = Number(auto_rotate_period) * 1_000
  const members = { import_job: job, vaultid, name, type, info, ...flags, auto_rotate_period_ms }
  return JSON.stringify(members).replace(/\}$/, ',"expires":"')
}

/**
 * Runs the lines in a subshell with its own umask: only their owner can read the files, and the terminal keeps its
 * umask.
 */
const inPrivate = (lines: readonly string[]): string => `(umask 077\n${lines.join('\n')})`

/** Lines that write RSA-OAEP of an AES key, followed by AES-KWP (RFC 5649) of the imported key. */
export const wrapCommands = (isPair: boolean): string =>
  inPrivate([
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
  ])
