import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { output } from './machine-process.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'strongroom-package-'))

/** Makes the Debian package of this working tree by `scripts/package-deb`, which takes some minutes. */
export async function buildPackage(name: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const target = join(folder, name)
  // A larger file of the same form (xz), for a quarter of the work.
  const words = Object.entries({ DPKG_DEB_COMPRESSOR_LEVEL: '1', ...environment }).map(
    ([key, value]) => `${key}=${value}`,
  )
  await output('env', [...words, join(root, 'scripts/package-deb'), target])
  return join(target, readdirSync(target).find((file) => file.endsWith('.deb')) ?? '')
}

let made: Promise<string> | undefined

/**
 * The package for all files of a run: that of this working tree, or the release candidate that STRONGROOM_PACKAGE
 * names.
 */
export const debianPackage = (): Promise<string> =>
  (made ??= Promise.resolve(process.env['STRONGROOM_PACKAGE'] ?? buildPackage('first')))

const later = new Map<string, Promise<string>>()

/** The package of the same program as a later release. `change` gets the folder of the unpacked package. */
export function laterPackage(version: string, change?: (folder: string) => void): Promise<string> {
  const known = later.get(version) ?? repackage(version, change)
  later.set(version, known)
  return known
}

async function repackage(version: string, change?: (folder: string) => void): Promise<string> {
  const unpacked = join(folder, `${version}.unpacked`)
  mkdirSync(unpacked)
  await output('dpkg-deb', ['-R', await debianPackage(), unpacked])
  edit(join(unpacked, 'DEBIAN/control'), /^Version: .*$/m, `Version: ${version}`)
  edit(join(unpacked, 'usr/lib/strongroom/package.json'), /"version": "[^"]*"/, `"version": "${version}"`)
  change?.(unpacked)
  const file = join(folder, `strongroom_${version}.deb`)
  await output('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', unpacked, file])
  return file
}

function edit(file: string, pattern: RegExp, text: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, text))
}
