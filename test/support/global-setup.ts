import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { commonPki } from './pki.ts'
import { temporaryFolder } from './temporary.ts'

const root = resolve(import.meta.dirname, '../..')
const sources = [
  'src',
  'softhsm',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build',
  'scripts/build-program.mjs',
  'scripts/vite.config.mjs',
]
const product = join(root, 'dist/bin/strongroomd.js')

/**
 * Runs once before all tests. Test processes inherit the environment, so that their temporary files are in one folder
 * of the run.
 */
export function setup(): () => void {
  buildWhatChanged()
  const disk = tmpdir()
  // A short name, because the path of a unix socket has 107 characters at most.
  const folder = mkdtempSync(join(temporaryFolder(), 'sr-'))
  // PostgreSQL's server runs as another user, with its own folder in this one.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.env['STRONGROOM_TEST_DISK'] = disk
  // Made here, because test processes would make it at the same time.
  commonPki()
  return () => {
    process.env['TMPDIR'] = disk
    // An appliance that a test process left behind may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Compiles the programs that tests start, when the source has changed. */
function buildWhatChanged(): void {
  if (existsSync(join(root, 'dist/hsm/ceremony')) && modifiedMs(product) >= Math.max(...sources.map(newestMs))) return
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`)
}

function newestMs(name: string): number {
  const path = join(root, name)
  const files = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  return Math.max(modifiedMs(path), ...files.map((file) => modifiedMs(join(path, file))))
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
