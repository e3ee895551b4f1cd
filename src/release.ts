import { readFileSync } from 'node:fs'

/** Which program this is. */
export interface Release {
  readonly version: string
  readonly build: number
  /** Of the sources that it was built from, where they came from git. */
  readonly commit: string | undefined
}

export function readRelease(): Release {
  return { ...describedAbove(new URL('..', import.meta.url)), commit: readCommit() }
}

/** What the nearest package.json says: the folder of the program lies in the package. */
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

/** The build leaves it beside the compiled program. */
function readCommit(): string | undefined {
  try {
    return readFileSync(new URL('./commit', import.meta.url), 'latin1').trim() || undefined
  } catch {
    return undefined
  }
}

/** The version and the number of its build, in the published form `X.Y.Z-buildNNNN`. */
export const releaseName = ({ version, build }: Release): string => `${version}-build${String(build).padStart(4, '0')}`

/** What `--version` of a program says. */
export function versionLine(program: string): string {
  const release = readRelease()
  return `${program} ${releaseName(release)}${release.commit === undefined ? '' : ` (${release.commit})`}`
}
