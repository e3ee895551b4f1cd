import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFileSystems } from './keeper-file.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const { ok, warning } = findingsOf('PIN')

/** Under systemd: whether a copy of the disk holds the PIN although the machine could keep that from being of use. */
export const pinOnDiskCheck: Check = {
  topic: 'PIN',
  run: ({ hsm }) => (hsm.spawn ? [] : pinFindings(hsm.pinFile, '/sys/class/tpm')),
}

/** `tpms`: the folder where the kernel lists them. */
export function pinFindings(pinFile: string, tpms: string): Finding[] {
  // That it is missing, "permissions" says.
  if (!existsSync(pinFile)) return []
  // What systemd has decrypted for this command lies in memory (systemd.exec(5), LoadCredentialEncrypted=).
  if (memoryFileSystems.includes(statfsSync(pinFile).type)) return [ok('it was handed over in memory')]
  if (!hasTpm2(tpms)) return [ok(`it lies in ${pinFile}: this machine has no TPM 2.0 to encrypt it to`)]
  return [
    warning(
      `${pinFile} holds it in the clear, and so does each copy of the disk, although this machine has a TPM 2.0`,
      'Encrypt it to the TPM: "Credentials" in systemd/README.md (LoadCredentialEncrypted).',
    ),
  ]
}

function hasTpm2(folder: string): boolean {
  if (!existsSync(folder)) return false
  const versions = readdirSync(folder).map((name) => join(folder, name, 'tpm_version_major'))
  return versions.some((file) => existsSync(file) && readFileSync(file, 'utf8').trim() === '2')
}
