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

/** Once before all tests. Processes of tests inherit the environment, so their temporary files lie in one folder of the run. */
export function setup(): () => void {
  buildWhatChanged()
  const disk = tmpdir()
  // A short name: unix sockets in it may have no more than 107 characters.
  const folder = mkdtempSync(join(temporaryFolder(), 'sr-'))
  // PostgreSQL's server runs as another user, and has a folder of its own in here.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  process.env['STRONGROOM_TEST_DISK'] = disk
  // Made here, because processes of tests would make it at once.
  commonPki()
  return () => {
    process.env['TMPDIR'] = disk
    // An appliance that a process of tests has left behind may still be writing its last.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** What tests start as a process is compiled from the source as it is now. */
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
