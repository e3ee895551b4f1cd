import { readFileSync } from 'node:fs'
import { z } from 'zod'

const description = z.object({ version: z.string(), build: z.int().min(0).max(9999) })

/** The version of this program and the number of its build, in the published form `X.Y.Z-buildNNNN`. */
export function readRelease(): string {
  const file = new URL('../../../package.json', import.meta.url)
  const { version, build } = description.parse(JSON.parse(readFileSync(file, 'utf8')))
  return `${version}-build${String(build).padStart(4, '0')}`
}
