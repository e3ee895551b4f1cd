import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { buildProgram } from '../../support/built-program.ts'

/** Opens the token with no more files to open, and says why it is not ready. */
const program = `
import { openSync } from 'node:fs'
import { createToken } from './hsm/pkcs11/token-link.ts'

const token = createToken({ module: '/none/module.so', uri: 'pkcs11:token=x', handles: 10, pin: {} })
try {
  for (;;) openSync('/dev/null', 'r')
} catch {
  token.open()
}
process.stdout.write(token.reason())
`

it('a token that fails while the process may open no more files: the reason names the limit and the failure', async () => {
  mkdirSync('node_modules/.cache', { recursive: true })
  const folder = mkdtempSync(resolve('node_modules/.cache/strongroom-'))
  try {
    const file = join(folder, 'opens.js')
    await buildProgram(program, file)
    const reason = execFileSync('prlimit', ['--nofile=64', process.execPath, file], { encoding: 'utf8' })
    expect(reason).toContain('This process may open no more files: raise its limit (LimitNOFILE= of the unit')
    expect(reason).toContain('hsm.module /none/module.so cannot be loaded')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
