import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, it } from 'vitest'

const compiled = resolve(import.meta.dirname, '../../../dist/modules/core-dumps.js')
const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'latin1').trim()
// The kernel writes the file to the working folder of the process, and root can raise a limit again.
const canJudge = /^core[\w.%]*$/.test(pattern) && process.getuid?.() === 0

let folder = ''
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The core dump of a process with a secret in memory that crashes after `first`; undefined for none. */
function coreAfter(first: string): Buffer | undefined {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-core-'))
  const program = `
    const { execFileSync } = await import('node:child_process')
    const { excludeMemory, forbidCoreDumps } = await import(${JSON.stringify(compiled)})
    const raise = () => execFileSync('prlimit', ['--pid=' + process.pid, '--core=unlimited'])
    raise()
    ${first}
    globalThis.secret = Buffer.from(['a PIN', 'that is', 'in memory'].join(' '))
    process.kill(process.pid, 'SIGSEGV')
    setTimeout(() => undefined, 5_000)`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
  const [name] = existsSync(folder) ? readdirSync(folder) : []
  return name === undefined ? undefined : readFileSync(join(folder, name))
}

const holdsSecret = (core: Buffer | undefined) => core?.includes('a PIN that is in memory')

it.skipIf(!canJudge)('a crash leaves no core file, and where the limit is lifted one without the memory', () => {
  const report = '(error) => { throw error }'
  expect(holdsSecret(coreAfter(''))).toBe(true)
  expect(coreAfter(`forbidCoreDumps(${report})`)).toBeUndefined()
  expect(holdsSecret(coreAfter(`excludeMemory(${report})`))).toBe(false)
})
