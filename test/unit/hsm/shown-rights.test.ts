import { expect, it } from 'vitest'
import { capabilitiesOf } from '../../../src/access/capabilities.ts'
import { longestGrantMs } from '../../../src/access/decision.ts'
import { permissionBits } from '../../../src/access/permission.ts'
import { createShownRights } from '../../../src/hsm/keeper/shown-rights.ts'
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

function rightsAfter(...records: readonly OpenedRecord[]) {
  const rights = createShownRights(Date.now)
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
  const rights = createShownRights(() => now)
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
  const rights = createShownRights(() => now)
  now += 1
  const later = { ...grant, expiresAt: now + longestGrantMs }
  for (let others = 0; others < 150_000; others++) {
    now += 1
    rights.note(accountOf(Buffer.from(`user ${others}`), member, 7), 7)
  }
  expect(rights.isOvertaken(later)).toBe(false)
})
