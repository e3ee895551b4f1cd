import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Compiles `src` into a folder of its own, below node_modules so that its imports are found; for tests that start processes. */
export function buildSource(): string {
  const cache = resolve(import.meta.dirname, '../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const output = mkdtempSync(join(cache, 'strongroom-'))
  const root = resolve(import.meta.dirname, '../..')
  const compiler = ['tsc', '-p', 'tsconfig.build.json', '--sourceMap', 'false', '--outDir', output]
  const { stdout } = spawnSync('npx', compiler, { cwd: root, encoding: 'utf8' })
  // Types are judged elsewhere: what compiles to JavaScript can be run.
  if (!existsSync(join(output, 'bin/strongroomd.js'))) throw new Error(stdout)
  return output
}
