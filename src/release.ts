import { readFileSync } from 'node:fs'

/** Which program this is. */
export interface Release {
  readonly version: string
  readonly build: number
  /** Of the sources that it was built from, where they came from git. */
  readonly commit: string | undefined
}

export function readRelease(): Release {
  const file = new URL('../package.json', import.meta.url)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package's own description
  const { version, build } = JSON.parse(readFileSync(file, 'utf8')) as Release
  return { version, build, commit: readCommit() }
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
