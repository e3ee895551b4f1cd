import type { Permission } from '../../src/access/permission.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { CallOptions, TestClient } from './client.ts'
import type { ClientCa } from './client-pki.ts'

/** A user and a client that makes calls. */
export interface Actor {
  readonly user: TestUser
  readonly client: TestClient
}

/** Path and options of a call. The options are made when it is sent, because an OTP is valid once. */
export interface ReadyCall {
  readonly path: string
  readonly options?: (actor: Actor) => CallOptions
}

/** The place of the calls: an Admin of the vault, who holds every capability. */
export interface Ground {
  readonly appliance: TestAppliance
  readonly chief: Actor
  readonly vaultId: string
  readonly ca: ClientCa
  /** Other members of its vaults, with their permission bit. */
  readonly members?: readonly (readonly [userId: number, status: number])[]
}

/**
 * What a call needs. `session`: any valid session; `maker`: that of the user who made the thing; else a capability, one
 * of two, or a permission in the vault with a capability.
 */
export type Need =
  | 'session'
  | 'maker'
  | 'admin'
  | 'audit'
  | 'createVault'
  | 'admin or createVault'
  | Permission
  | 'Admin and createVault'

export interface PeopleCall {
  readonly needs: Need
  /** Changes nothing in the database. */
  readonly reads?: true
  /** Cannot be answered without the token. */
  readonly usesToken?: true
  /** Concerns things of its caller, who is the `chief`. */
  readonly own?: true
  /** Makes everything for a call that succeeds. */
  readonly prepare: (ground: Ground) => ReadyCall | Promise<ReadyCall>
}

/** Makes a ground: the chief, his vault, and a CA for cards, which the test removes. */
export async function givenGround(appliance: TestAppliance, ca: ClientCa): Promise<Ground> {
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  const client = await appliance.login(user)
  const [{ id: vaultId }] = (await client.must('POST', '/vault', { vaultname: 'Ground' }))['VAULT'] as [{ id: string }]
  return { appliance, chief: { user, client }, vaultId, ca }
}
