import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { strongroom } from '../../support/console-kit.ts'
import { eventually } from '../../support/fault-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own({ http: { workers: 1 }, audit: { sealIntervalMs: 100 } }))

const sealsOf = (chain: string): { covers: { seq: number }; heads: Record<string, { seq: number }> }[] =>
  readFileSync(join(appliance.config.audit.directory, `${chain}.000001.jsonl`), 'latin1')
    .split('\n')
    .filter((line) => line.includes('"type":"seal"'))
    .map((line) => JSON.parse(line).seal)

it('a worker confirms what the console sealed by the next audit key, and takes nothing for edited', async () => {
  const client = await appliance.login()
  await eventually(() => sealsOf('worker-1').length > 0)
  const { status } = await strongroom(appliance.configFile, ['root-keys', 'rotate', 'audit'])
  expect(status).toBe(0)
  const before = sealsOf('worker-1').length
  await client.must('GET', '/vault')
  client.close()
  await eventually(() => sealsOf('worker-1').length > before)
  expect(appliance.journal).not.toContain('no seal confirms')
  expect(sealsOf('worker-1')[before]?.heads['console']?.seq).toBe(sealsOf('console').at(-1)?.covers.seq)
})
