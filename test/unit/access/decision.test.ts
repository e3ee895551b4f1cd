import { describe, expect, it } from 'vitest'
import {
  clockSkewMs,
  decide,
  type KeyInVault,
  type KeyUse,
  longestGrantMs,
  type VaultGrant,
} from '../../../src/access/decision.ts'
import { permissionBits, type Permission } from '../../../src/access/permission.ts'

const vault = Buffer.alloc(16, 1)
const now = 1_000

const grantOf = (permission: Permission, edits: Partial<VaultGrant> = {}): VaultGrant => ({
  vault,
  permission: permissionBits[permission],
  expiresAt: now,
  grants: null,
  ...edits,
})

const policy = {
  name: 'k',
  deletedAt: null,
  oldestVersion: 1,
  latestVersion: 3,
  minEncryptionVersion: 2,
  minDecryptionVersion: 2,
  allowExport: 1,
  allowPlaintextExport: 1,
  allowBackup: 1,
}
const named: KeyInVault = { vault, version: { version: 3, disabled: 0, policy } }
const ownOfVault: KeyInVault = { vault, version: undefined }
const codeOf = (...asked: Parameters<typeof decide>) => decide(...asked)?.code ?? 'allowed'

describe('the decision', () => {
  it.each<[KeyUse, KeyInVault, Permission, Permission | undefined]>([
    ['encrypt', named, 'Read', undefined],
    ['decrypt', named, 'Read', undefined],
    ['export', named, 'Admin', 'Write'],
    ['export-plain', named, 'Admin', 'Write'],
    ['backup', named, 'Admin', 'Write'],
    ['encrypt', ownOfVault, 'Write', 'Read'],
    ['decrypt', ownOfVault, 'Read', undefined],
    ['rewrap-from', ownOfVault, 'Read', undefined],
    ['rewrap-to', ownOfVault, 'Write', 'Read'],
  ])('allows %s by a permission of the vault, and not by less', (use, key, enough, less) => {
    expect(codeOf(grantOf(enough), key, use, now)).toBe('allowed')
    if (less !== undefined) expect(codeOf(grantOf(less), key, use, now)).toBe('access.permission')
    expect(codeOf(grantOf(enough, { permission: 0 }), key, use, now)).toBe('access.permission')
  })

  it('refuses a grant for another vault, and one for none', () => {
    for (const other of [Buffer.alloc(16, 2), null])
      expect(codeOf(grantOf('Admin', { vault: other }), named, 'decrypt', now)).toBe('access.permission')
  })

  it('refuses a grant whose time is over, in a way that is tried again', () => {
    expect(codeOf(grantOf('Admin'), named, 'decrypt', now + 1)).toBe('hsm.unavailable')
  })

  it('refuses a grant that is good for longer than any is given for, until its time has come', () => {
    const from = (expiresAt: number) => codeOf(grantOf('Admin', { expiresAt }), named, 'decrypt', now)
    expect(from(now + longestGrantMs + clockSkewMs)).toBe('allowed')
    expect(from(now + longestGrantMs + clockSkewMs + 1)).toBe('hsm.unavailable')
    expect(from(now + 31_536_000_000)).toBe('hsm.unavailable')
  })

  it('lets no grant go beyond the policy of the key', () => {
    const of = (edits: object, use: KeyUse, version = {}) =>
      codeOf(
        grantOf('Admin'),
        { vault, version: { version: 3, disabled: 0, ...version, policy: { ...policy, ...edits } } },
        use,
        now,
      )
    expect(of({ allowExport: 0 }, 'export')).toBe('hsm.rejected')
    expect(of({ allowPlaintextExport: 0 }, 'export-plain')).toBe('hsm.rejected')
    expect(of({ allowBackup: 0 }, 'backup')).toBe('hsm.rejected')
    expect(of({ deletedAt: 1 }, 'decrypt')).toBe('hsm.rejected')
    expect(of({}, 'decrypt', { disabled: 1 })).toBe('hsm.rejected')
    expect(of({}, 'backup', { disabled: 1 })).toBe('allowed')
    expect(of({}, 'decrypt', { version: 4 })).toBe('hsm.rejected')
    expect(of({}, 'decrypt', { version: 1 })).toBe('hsm.rejected')
    expect(of({}, 'encrypt', { version: 1 })).toBe('hsm.rejected')
    expect(codeOf(grantOf('Admin'), ownOfVault, 'export', now)).toBe('hsm.rejected')
  })
})
