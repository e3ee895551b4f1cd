import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../src/store/open.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { buildProgram } from '../../support/built-program.ts'

const processes = 6
/** The calls that each process has at any time, and the changes that each of them makes. */
const calls = 8
const changes = 8

/** A worker whose changes each take as long as one that waits for the token. Prints the number of its refused changes. */
const worker = `
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from './store/open.ts'
import { tables } from './daemon/tables.ts'

const store = await openStore({ sqlite: process.argv[2] }, tables)
let refused = 0
await Promise.all(Array.from({ length: ${calls} }, async () => {
  for (let change = 0; change < ${changes}; change++) {
    await store.transaction(() => sleep(30)).catch(() => (refused += 1))
    await sleep(Math.random() * 5)
  }
}))
await store.close()
console.log(refused)
`

it('busy processes over one SQLite file let each other write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-writers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const [program, sqlite] = [join(folder, 'worker.mjs'), join(folder, 'test.sqlite')]
  await buildProgram(worker, program)
  await (await openStore({ sqlite }, tables)).close()
  const run = promisify(execFile)
  const ended = await Promise.all(
    Array.from({ length: processes }, () => run(process.execPath, [program, sqlite], { encoding: 'utf8' })),
  )
  expect(ended.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: processes }, () => 0))
})
