import { execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AuditHeadTable, createAuditHeads } from '../../../src/audit/records.ts'
import { verifyTrail } from '../../../src/audit/trail-verification.ts'
import { openStore } from '../../../src/store/open.ts'
import { diskFolder } from '../../support/temporary.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

/** The writer as JavaScript, which every version of Node can run. */
function givenWriter(): string {
  const place = givenDirectory(diskFolder())
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'))
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  const config = {
    extends: resolve('tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: resolve('.'),
      outDir: join(place, 'out'),
      types: ['node'],
      typeRoots: [resolve('node_modules/@types')],
    },
    include: [],
    files: [resolve('test/system/audit/crash-writer.ts')],
  }
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config))
  execFileSync(resolve('node_modules/.bin/tsc'), ['-p', join(place, 'tsconfig.json')], { stdio: 'inherit' })
  return join(place, 'out/test/system/audit/crash-writer.js')
}

test('a process killed at any moment loses no record that it acknowledged, and the chain goes on', async () => {
  const writer = givenWriter()
  const place = givenDirectory(diskFolder())
  const [directory, sqlite, keyFile] = [join(place, 'audit'), join(place, 'db'), join(place, 'key.pem')]
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  mkdirSync(directory)

  const acknowledged: string[] = []
  for (const round of [1, 2, 3, 4, 5, 6]) {
    const child = spawn(process.execPath, [writer, directory, sqlite, keyFile, `run${round}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > round * 1_500) child.kill('SIGKILL')
    })
    await once(child, 'close')
    expect(child.signalCode).toBe('SIGKILL')
    acknowledged.push(...output.split('\n').slice(0, -1))
  }

  const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl'))
  const text = files.map((name) => readFileSync(join(directory, name), 'latin1')).join('')
  const written = new Set([...text.matchAll(/"requestId":"([^"]*)"/g)].map(([, id]) => id))
  expect(acknowledged.length).toBeGreaterThan(1_000)
  expect(acknowledged.filter((id) => !written.has(id))).toEqual([])

  const store = await openStore({ sqlite }, [AuditHeadTable])
  onTestFinished(() => store.close())
  const heads = await createAuditHeads(store).read()
  const report = await verifyTrail({ directory, publicKey: publicKey.export({ type: 'spki', format: 'der' }), heads })
  const torn = report.chains.flatMap(({ findings }) => findings)
  // Only the end of the last run may be unfinished, because the chain was not opened since.
  expect(torn.filter(({ kind }) => kind !== 'torn')).toEqual([])
  expect(report.chains[0]?.seals).toBeGreaterThan(5)
})
