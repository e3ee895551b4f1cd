import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Fault } from '../../fault.ts'
import { createPinCredential, type PinCredential } from '../../hsm/server/pin-credential.ts'

/** The file of an encrypted credential, as in systemd/README.md. */
const encryptedForm = (pinFile: string): string => `${pinFile}.cred`

/** The PIN in the form in which services get it: plain, or encrypted if only the encrypted file exists. */
export function pinCredentialOf(pinFile: string, keyKind = 'auto'): PinCredential {
  if (existsSync(pinFile) || !existsSync(encryptedForm(pinFile))) return createPinCredential(pinFile)
  return createPinCredential(encryptedForm(pinFile), {
    // The encryption includes the name (systemd.exec(5), LoadCredentialEncrypted=).
    encode: (pin) => systemdCreds(['encrypt', `--with-key=${keyKind}`, '--name=pin', '-', '-'], pin),
    decode: (file) =>
      systemdCreds(['decrypt', '--name=pin', file, '-'], '')
        .toString()
        .replace(/\r?\n$/, ''),
  })
}

function systemdCreds(args: readonly string[], input: string): Buffer {
  try {
    return execFileSync('systemd-creds', args, { input, stdio: ['pipe', 'pipe', 'pipe'] })
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new Fault('hsm.rejected', `systemd-creds ${args[0]} fails: ${said}`, { cause })
  }
}
