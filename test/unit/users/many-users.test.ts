import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { usersById } from '../../../src/features/users/records.ts'
import { openStore } from '../../../src/store/open.ts'

it('reads the users of a vault that has more members than a statement may have values', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-users-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const store = await openStore({ sqlite: join(directory, 'test.sqlite') }, tables)
  onTestFinished(() => store.close())
  expect(
    await usersById(
      store.read,
      Array.from({ length: 100_000 }, (_, at) => at),
    ),
  ).toEqual([])
})
