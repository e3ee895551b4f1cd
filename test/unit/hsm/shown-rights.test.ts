import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../../src/access/capabilities.ts'
import { longestGrantMs } from '../../../src/access/decision.ts'
import { permissionBits } from '../../../src/access/permission.ts'
import { openKeptRights } from '../../../src/hsm/keeper/kept-rights.ts'
import { createShownRights } from '../../../src/hsm/keeper/shown-rights.ts'
import { membershipSubject } from '../../../src/hsm/record-generation.ts'
import type { OpenedRecord } from '../../../src/hsm/record-layouts.ts'

const [user, vault] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)]
const [member, administrator] = [capabilitiesOf(['read', 'active']), capabilitiesOf(['read', 'active', 'admin'])]

/** The part of a record that says what a person may do. */
const accountOf = (identity: Buffer, capabilities: number, generation: number) =>
  ({ type: 'user', fields: { identity, capabilities, generation } }) as unknown as OpenedRecord
const account = (capabilities: number, generation: number) => accountOf(user, capabilities, generation)
const membership = (permission: number, generation: number) =>
  ({ type: 'membership', fields: { user, vault, permission, generation } }) as unknown as OpenedRecord

const grant = { user, capabilities: administrator, vault, permission: permissionBits.Admin }
const grantOfLogin = { ...grant, vault: null, permission: 0 }

/** The rights as a keeper knows them after its start, with this file. */
function rightsOn(now: () => number, file = new Database(':memory:')) {
  return createShownRights(openKeptRights({ file }, now), now)
}

function rightsAfter(...records: readonly OpenedRecord[]) {
  const rights = rightsOn(Date.now)
  for (const record of records) rights.note(record, undefined)
  return rights
}

it('of a grant nothing was taken from stay as they are', () => {
  expect(rightsAfter(account(administrator, 1), membership(permissionBits.Admin, 1)).leftOf(grant)).toBe(grant)
})

it('of a user who has lost a capability are those that are left, in a vault and, at a login, in none', () => {
  const rights = rightsAfter(account(member, 2))
  expect(rights.leftOf(grant)).toEqual({ ...grant, capabilities: member })
  expect(rights.leftOf(grantOfLogin)).toEqual({ ...grantOfLogin, capabilities: member })
})

it('of a member with a lower permission are that permission', () => {
  const rights = rightsAfter(membership(permissionBits.Write, 2))
  expect(rights.leftOf(grant)).toEqual({ ...grant, permission: permissionBits.Write })
})

it.each([
  ['a member who was removed', membership(0, 2)],
  ['a user who was disabled', account(capabilitiesOf(['read', 'admin']), 2)],
])('are none for %s', (_who, record) => {
  expect(() => rightsAfter(record).leftOf(grant)).toThrow(expect.objectContaining({ code: 'access.permission' }))
})

it('count as overtaken once a newer record was dropped to make room, and only for older grants', () => {
  let now = 1_000_000
  const rights = rightsOn(() => now)
  const sealedAt = (ms: number) => ({ ...grant, expiresAt: ms + longestGrantMs })
  const earlier = sealedAt(now)
  now += 1
  rights.note(account(member, 2), 1)
  const later = sealedAt(now + 1)
  expect(rights.leftOf(earlier)).toMatchObject({ capabilities: member })
  now += 1
  for (let others = 0; others < 100_000; others++)
    rights.note(accountOf(Buffer.from(`user ${others}`), member, 1), undefined)
  expect(rights.leftOf(earlier)).toBe(earlier)
  expect([earlier, later].map((one) => rights.isOvertaken(one))).toEqual([true, false])
  rights.note(account(member, 3), 2)
  expect(rights.leftOf(earlier)).toMatchObject({ capabilities: member })
})

it('do not count as overtaken while more records than there is room for are shown once more', () => {
  let now = 1_000_000
  const rights = rightsOn(() => now)
  now += 1
  const later = { ...grant, expiresAt: now + longestGrantMs }
  for (let others = 0; others < 150_000; others++) {
    now += 1
    rights.note(accountOf(Buffer.from(`user ${others}`), member, 7), 7)
  }
  expect(rights.isOvertaken(later)).toBe(false)
})

describe('after a start of the keeper', () => {
  it('are those of the last minutes, and older changes are forgotten', () => {
    let now = 1_000_000
    const file = new Database(':memory:')
    const before = rightsOn(() => now, file)
    before.note(membership(permissionBits.Admin, 1), undefined)
    before.note(membership(permissionBits.Read, 2), 1)
    expect(rightsOn(() => now, file).leftOf(grant)).toMatchObject({ permission: permissionBits.Read })
    now += 3 * longestGrantMs
    before.note(account(member, 2), 1)
    const after = rightsOn(() => now, file)
    expect(after.leftOf(grant)).toEqual({ ...grant, capabilities: member })
    after.forget()
    expect(rightsOn(() => now, file).leftOf(grant)).toBe(grant)
  })

  it('are still unknown where another keeper reported a change, until it is shown', () => {
    const now = 1_000_000
    const file = new Database(':memory:')
    const older = { ...grant, expiresAt: now + longestGrantMs - 1 }
    rightsOn(() => now, file).noteTold(membershipSubject(vault, user), 2)
    const after = rightsOn(() => now, file)
    expect(after.isOvertaken(older)).toBe(true)
    after.note(membership(permissionBits.Read, 2), 2)
    const last = rightsOn(() => now, file)
    expect(last.isOvertaken(older)).toBe(false)
    expect(last.leftOf(older)).toMatchObject({ permission: permissionBits.Read })
  })

  it('count as overtaken for older grants where more were changed than there is room for', () => {
    const file = new Database(':memory:')
    const now = () => 1_000
    openKeptRights({ file }, now)
    file.exec(`WITH RECURSIVE change (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM change WHERE n <= 100000)
      INSERT INTO changed_rights (subject, is_told, number, bits, at) SELECT CAST(n AS BLOB), 0, 2, 1, n FROM change`)
    const after = rightsOn(now, file)
    const sealedAt = (ms: number) => ({ ...grant, expiresAt: ms + longestGrantMs })
    expect([1, 2].map((ms) => after.isOvertaken(sealedAt(ms)))).toEqual([true, false])
  })
})
