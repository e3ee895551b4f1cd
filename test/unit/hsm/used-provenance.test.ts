import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openKeeperState } from '../../../src/hsm/keeper/keeper-state.ts'
import { createUsedProvenance } from '../../../src/hsm/keeper/used-provenance.ts'
import { encodeRecord } from '../../../src/hsm/key-record.ts'
import { provenanceNonce } from '../../../src/hsm/provenance.ts'
import { recordDigest } from '../../../src/hsm/sealed-record.ts'

function keeperFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-provenance-'))
  return join(directory, 'keeper.sqlite')
}

const [one, other] = [Buffer.from('one'), Buffer.from('other')]
const hour = 3_600_000
const at = 1_800_000_000_000
const madeAt = (time: number) => Buffer.concat([provenanceNonce(Buffer.alloc(16, 7), time), Buffer.alloc(32, 1)])

it('a file of before keeps which vaults have a key, and forgets keys that are refused for their age', () => {
  const file = keeperFile()
  const holder = encodeRecord(['vault key 2', Buffer.alloc(16, 3)])
  const earlier = new Database(file)
  earlier.exec('CREATE TABLE used_provenance (seal BLOB PRIMARY KEY, record BLOB NOT NULL) STRICT, WITHOUT ROWID')
  const insert = earlier.prepare('INSERT INTO used_provenance VALUES (?, ?)')
  for (const seal of [holder, Buffer.alloc(48, 9)]) insert.run(seal, recordDigest(one))
  earlier.close()

  for (let starts = 0; starts < 2; starts++) {
    const state = openKeeperState(file)
    const used = createUsedProvenance(state, () => at)
    expect([used.useHolder(holder, one), used.useHolder(holder, other)]).toEqual([true, false])
    expect(() => used.use(Buffer.alloc(48, 9), other)).toThrow('made too long ago')
    expect(state.prepare('SELECT count(*) FROM used_provenance').pluck().get()).toBe(1)
    state.close()
  }
})

it('a key gets into one record, soon after it was made, also where the clock is set back', () => {
  let now = at
  const state = openKeeperState(keeperFile())
  onTestFinished(() => void state.close())
  const used = createUsedProvenance(state, () => now)
  const key = madeAt(at)
  expect([used.use(key, one), used.use(key, one), used.use(key, other)]).toEqual([true, true, false])
  now = at + hour
  expect(() => used.use(key, other)).toThrow('made too long ago')
  now = at
  expect(used.use(key, other)).toBe(false)
  for (const far of [at - hour, at + hour, 0]) expect(() => used.use(madeAt(far), one)).toThrow('made too long ago')
})
