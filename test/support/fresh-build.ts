import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const sources = ['src', 'softhsm', 'package.json', 'tsconfig.json', 'tsconfig.build.json']
const product = join(root, 'dist/bin/strongroomd.js')

/** Once before all tests: what they start as a process is compiled from the source as it is now. */
export function setup(): void {
  if (existsSync(join(root, 'dist/hsm/ceremony')) && modifiedMs(product) >= Math.max(...sources.map(newestMs))) return
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' })
  // Types are judged by a step of their own: what compiles to JavaScript can be run.
  if (!existsSync(product)) throw new Error(`The build failed:\n${stdout}${stderr}`)
}

function newestMs(name: string): number {
  const path = join(root, name)
  const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  return Math.max(modifiedMs(path), ...files.map((file) => modifiedMs(join(path, file))))
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
