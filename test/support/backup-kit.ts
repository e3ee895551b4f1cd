import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that is removed after the test. */
export function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'b-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface AgePair {
  /** Path of the identity file of age-keygen(1). */
  readonly identity: string
  readonly recipient: string
}

/** Makes a key pair by Debian's age. */
export function givenAgePair(folder: string, name = 'identity'): AgePair {
  const identity = join(folder, name)
  execFileSync('age-keygen', ['-o', identity], { stdio: 'ignore' })
  return { identity, recipient: execFileSync('age-keygen', ['-y', identity], { encoding: 'utf8' }).trim() }
}

/** Unpacks a backup by age and tar. */
export function unpack(file: string, { identity }: AgePair, folder: string): void {
  execFileSync('sh', ['-c', `age -d -i '${identity}' '${file}' | tar -xz -C '${folder}'`])
}

/**
 * Makes the backup of an attacker who knows the recipient: `format.json`, then the file `payload` of the folder under
 * another name.
 */
export function packWith(folder: string, file: string, { recipient }: AgePair, name: string): void {
  const tar = `tar --format=ustar -Pcz -C '${folder}' --transform='s|^payload$|${name}|' format.json payload`
  execFileSync('sh', ['-c', `${tar} | age -r ${recipient} -o '${file}'`])
}

/** Packs the files of a folder as a backup for this recipient, in the order of the manifest, by tar and age. */
export function pack(folder: string, file: string, { recipient }: AgePair): void {
  const { files }: { files: { name: string }[] } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const names = [...files.map(({ name }) => name), 'manifest.json', 'signature.json'].map((name) => `'${name}'`)
  execFileSync('sh', [
    '-c',
    `tar --format=ustar -cz -C '${folder}' ${names.join(' ')} | age -r ${recipient} -o '${file}'`,
  ])
}
