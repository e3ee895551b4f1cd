import { expect } from 'vitest'
import { findPending, findUnmarked } from '../../../src/features/destruction/records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

describeUpgrade(
  'keys of deleted vaults that a release before has not destroyed wait on, without a mark',
  {
    before: 'Destructions1700000000025',
    statements: [`INSERT INTO doomed_vault_keys (key_id, doomed_at) VALUES ('${'ab'.repeat(16)}', 5)`],
  },
  async (store) => {
    expect(await findUnmarked(store.read)).toEqual(['ab'.repeat(16)])
    expect(await findPending(store.read, 10)).toEqual([])
    expect(await store.query('SELECT pending_since FROM pending_destructions', [])).toEqual([{ pending_since: 5 }])
  },
)
