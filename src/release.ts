import { readFileSync } from 'node:fs'

/** The identity of this program. */
export interface Release {
  readonly version: string
  readonly build: number
  /** The git commit of the sources; undefined if they did not come from git. */
  readonly commit: string | undefined
}

export function readRelease(): Release {
  return { ...describedAbove(new URL('..', import.meta.url)), commit: readCommit() }
}

/** Reads the nearest package.json in this folder or above it. */
function describedAbove(folder: URL): Omit<Release, 'commit'> {
  try {
    const text = readFileSync(new URL('package.json', folder), 'utf8')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package's own description
    const { version, build } = JSON.parse(text) as Release
    return { version, build }
  } catch (error) {
    if (folder.pathname === '/') throw error
    return describedAbove(new URL('..', folder))
  }
}

/** The build writes the commit to a file beside the compiled program. */
function readCommit(): string | undefined {
  try {
    return readFileSync(new URL('./commit', import.meta.url), 'latin1').trim() || undefined
  } catch {
    return undefined
  }
}

/** The version and build number in the published form `X.Y.Z-buildNNNN`. */
export const releaseName = ({ version, build }: Release): string => `${version}-build${String(build).padStart(4, '0')}`

/** The output of a program's `--version`. */
export function versionLine(program: string): string {
  const release = readRelease()
  return `${program} ${releaseName(release)}${release.commit === undefined ? '' : ` (${release.commit})`}`
}
