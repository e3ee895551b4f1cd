import type { ImportJob, NewKeyBody } from '../interface/calls.ts'
import { inShell } from './shell-text.ts'

/** The key that a person wants to bring in. */
export interface AskedImport {
  readonly vaultid: string
  readonly name: string
  readonly body: NewKeyBody
}

/**
 * Checks the statement by the audit key that the operator gave, and that it is about the key that was asked for, and takes
 * the public key of the job out of it: what an attacker put in the place of any of them, a job of their own for another
 * vault or one that lets the key be exported, is found before a key is wrapped to it.
 *
 * @param otherText What is said where it is none of ours.
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
 * The statement of a job, byte for byte, up to when it ends. It begins with a sign that stands in texts of people behind
 * a backslash alone: none of them holds it.
 */
function beginningOf(job: string, { vaultid, name, body }: AskedImport): string {
  const { type, info, allow_export, allow_plaintext_export, allow_backup, allow_delete, auto_rotate_period } = body
  const flags = { allow_export, allow_plaintext_export, allow_backup, allow_delete }
  const auto_rotate_period_ms = Number(auto_rotate_period) * 1_000
  const members = { import_job: job, vaultid, name, type, info, ...flags, auto_rotate_period_ms }
  return JSON.stringify(members).replace(/\}$/, ',"expires":"')
}

/** Runs the lines in a subshell, so that only their owner can read the files and the umask of the terminal stays. */
const inPrivate = (lines: readonly string[]): string => `(umask 077\n${lines.join('\n')})`

/** RSA-OAEP of an AES key, then AES-KWP of the key, one behind the other. */
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
