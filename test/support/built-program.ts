import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

const entry = resolve(import.meta.dirname, '../../src/program-of-a-test.ts')

/** A program of a test's own, with what it imports from `src`, in one file. It finds no file of the product by its own place. */
export async function buildProgram(source: string, file: string): Promise<void> {
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    // Every package, and what is Node's own.
    external: /^[^./]/,
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
