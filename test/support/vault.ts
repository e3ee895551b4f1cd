import type { Capability } from '../../src/access/capabilities.ts'
import type { Permission } from '../../src/access/permission.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { Envelope, TestClient } from './client.ts'

/** A vault with helpers that work over the wire. */
export interface TestVault {
  readonly id: string
  readonly admin: TestClient
  /** A logged-in client of a new user with this permission. */
  member(permission: Permission): Promise<TestClient>
  /** A logged-in client of a new user with Read, narrowed by these grants. */
  narrowed(grants: readonly object[], capabilities?: readonly Capability[]): Promise<NarrowedMember>
  /** Changes a user's permission; undefined ends the membership. */
  share(userId: string, permission: Permission | undefined): Promise<void>
  /** The address of a key. */
  keyPath(name: string): string
  /** Encrypts base64 data by the vault's admin. Resolves to the ciphertext. */
  encrypt(key: string, plaintext: string, more?: object): Promise<string>
  decrypt(key: string, ciphertext: string): Promise<string>
}

export interface NarrowedMember {
  readonly user: TestUser
  readonly client: TestClient
}

const bits = { Read: 1, Write: 2, Admin: 4 }

/** Makes a vault by the user of `by`, or by a new user. */
export async function makeVault(appliance: TestAppliance, vaultname = 'Test', by?: TestClient): Promise<TestVault> {
  const admin = by ?? (await appliance.login())
  const [{ id }] = (await admin.must('POST', '/vault', { vaultname }))['VAULT'] as [{ id: string }]
  const shared = new Set<string>()
  const share = async (userId: string, permission: Permission | undefined): Promise<void> => {
    const place = `/vault/${id}/member/${userId}`
    if (permission === undefined) {
      shared.delete(userId)
      await admin.must('DELETE', place)
    } else {
      await admin.must(shared.has(userId) ? 'PUT' : 'POST', place, { status: bits[permission] })
      shared.add(userId)
    }
  }
  return {
    id,
    admin,
    share,
    async member(permission) {
      const user = await appliance.addUser()
      await share(String(user.id), permission)
      return appliance.login(user)
    },
    async narrowed(grants, capabilities) {
      const user = await appliance.addUser(capabilities)
      await admin.must('POST', `/vault/${id}/member/${user.id}`, { status: bits.Read, grants })
      return { user, client: await appliance.login(user) }
    },
    keyPath: (name) => `/transparent/${id}/keys/${name}`,
    encrypt: async (key, plaintext, more = {}) =>
      String(
        callinfo(await admin.must('POST', `/transparent/${id}/encrypt/${key}`, { plaintext, ...more }))['ciphertext'],
      ),
    decrypt: async (key, ciphertext) =>
      String(callinfo(await admin.must('POST', `/transparent/${id}/decrypt/${key}`, { ciphertext }))['plaintext']),
  }
}

const callinfo = ({ CALLINFO }: Envelope): Record<string, unknown> => CALLINFO
