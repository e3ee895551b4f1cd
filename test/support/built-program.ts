import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

const entry = resolve(import.meta.dirname, '../../src/program-of-a-test.ts')

/**
 * Bundles a test's own program with its imports from `src` into one file. It cannot find files of the product relative
 * to itself.
 */
export async function buildProgram(source: string, file: string): Promise<void> {
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    // All packages, and the modules of Node.
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
