import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '../..')
const description = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { dependencies: object }
const outside = Object.keys(description.dependencies)

/** A program of a test's own, with what it imports from `src`, in one file. It finds no file of the product by its own place. */
export async function buildProgram(source: string, file: string): Promise<void> {
  const entry = resolve(root, 'src/program-of-a-test.ts')
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: outside,
    logLevel: 'silent',
    plugins: [
      {
        name: 'program of a test',
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
  })
  await bundle.write({ file, format: 'esm', codeSplitting: false })
  await bundle.close()
}
