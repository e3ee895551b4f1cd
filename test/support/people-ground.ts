import type { Permission } from '../../src/access/permission.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { CallOptions, TestClient } from './client.ts'
import type { ClientCa } from './client-pki.ts'

/** Somebody who makes calls. */
export interface Actor {
  readonly user: TestUser
  readonly client: TestClient
}

/** What a call is made of; `options` when it is sent, for an OTP is good once. */
export interface ReadyCall {
  readonly path: string
  readonly options?: (actor: Actor) => CallOptions
}

/** Where calls are made: an Admin of the vault who holds every capability. */
export interface Ground {
  readonly appliance: TestAppliance
  readonly chief: Actor
  readonly vaultId: string
  readonly ca: ClientCa
  /** Others who share its vaults, with their permission bit. */
  readonly members?: readonly (readonly [userId: number, status: number])[]
}

/** `session`: any that is good; `maker`: that of the user who made the thing; a capability, or one of two; a permission in the vault, and a capability beside it. */
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
  /** Leaves the database as it is. */
  readonly reads?: true
  /** Cannot be answered without the token. */
  readonly usesToken?: true
  /** Is about things of whoever makes it: that one is the `chief`. */
  readonly own?: true
  /** One that succeeds, with everything that it needs made anew. */
  readonly prepare: (ground: Ground) => ReadyCall | Promise<ReadyCall>
}

/** Begins a ground: the chief, his vault, a CA for cards that the test cleans up. */
export async function givenGround(appliance: TestAppliance, ca: ClientCa): Promise<Ground> {
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  const client = await appliance.login(user)
  const [{ id: vaultId }] = (await client.must('POST', '/vault', { vaultname: 'Ground' }))['VAULT'] as [{ id: string }]
  return { appliance, chief: { user, client }, vaultId, ca }
}
