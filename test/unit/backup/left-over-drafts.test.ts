import { randomUUID } from 'node:crypto'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeBackup } from '../../../src/backup/backup-writer.ts'
import { ownIdentity } from '../../../src/process-identity.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'

async function* none(): AsyncGenerator<never> {}
const ofElsewhere = (name: string): string => `.${name}.age.${randomUUID()}.7.700-in-${randomUUID()}.4026532540.partial`

it('drafts of killed processes go, and of those elsewhere, which may run, only those that have not grown for long', async () => {
  const folder = givenFolder()
  const kept = [`.running.age.${await ownIdentity()}.partial`, ofElsewhere('growing')]
  const [killed, ended] = [`.killed.age.${randomUUID()}.7.700.partial`, ofElsewhere('ended')]
  for (const name of [...kept, killed, ended]) writeFileSync(join(folder, name), '')
  utimesSync(join(folder, ended), 0, 0)
  await writeBackup({
    file: join(folder, 'made.age'),
    recipients: [givenAgePair(givenFolder()).recipient],
    release: '1.0.0',
    entries: none(),
    close: () => Promise.resolve({ manifest: Buffer.from('{}'), signature: Buffer.from('') }),
    record: () => Promise.resolve(),
  })
  expect(readdirSync(folder).toSorted()).toEqual([...kept, 'made.age'].toSorted())
})
