import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Fault } from '../../fault.ts'
import { createPinCredential, type PinCredential } from '../../hsm/server/pin-credential.ts'

/** What systemd/README.md calls the encrypted form of a credential. */
const encryptedForm = (pinFile: string): string => `${pinFile}.cred`

/** The PIN as services of this machine get it: in the clear, or encrypted where that is what lies there. */
export function pinCredentialOf(pinFile: string, keyKind = 'auto'): PinCredential {
  if (existsSync(pinFile) || !existsSync(encryptedForm(pinFile))) return createPinCredential(pinFile)
  return createPinCredential(encryptedForm(pinFile), {
    // The name is under the encryption (systemd.exec(5), LoadCredentialEncrypted=).
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
