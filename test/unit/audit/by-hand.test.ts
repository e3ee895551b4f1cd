import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendAll, givenBench, givenDirectory, manyEvents } from '../../support/trail-kit.ts'

const commands = /```sh\n(.*?)```/s.exec(readFileSync('docs/audit.md', 'utf8'))?.[1] ?? ''
const name = 'worker-1.000001.jsonl'

test('the commands of docs/audit.md check a seal with OpenSSL, and sha256sum the chain', async () => {
  const bench = givenBench()
  const trail = await bench.open()
  await appendAll(trail, manyEvents(3))
  await trail.close()
  const file = join(bench.directory, name)
  const cwd = givenDirectory()
  const checkSeal = () =>
    spawnSync('sh', ['-euc', commands], {
      cwd,
      env: { ...process.env, file, line: '4', key: join(bench.directory, 'audit-public.pem') },
    })

  expect(checkSeal().stdout.toString()).toBe('Verified OK\n')
  const { covers } = JSON.parse(readFileSync(join(cwd, 'signed.json'), 'utf8'))
  const sum = spawnSync('sh', ['-c', `sed -n 3p '${file}' | sha256sum`]).stdout.toString()
  expect(covers).toEqual({ seq: 3, hash: sum.slice(0, 64) })
  expect(JSON.parse(String(bench.lines(name)[3])).prev).toBe(sum.slice(0, 64))

  bench.rewrite(name, (lines) => lines.with(3, String(lines[3]).replace('"covers":{"seq":3', '"covers":{"seq":2')))
  expect(checkSeal()).toMatchObject({ status: 1 })
})
