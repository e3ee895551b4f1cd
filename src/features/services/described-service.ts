import { mayLogIn } from '../../access/capabilities.ts'
import { Fault } from '../../fault.ts'
import type { ServiceAccount } from '../../hsm/service-account.ts'
import type { Reader } from '../../store/store.ts'
import { readAccount } from '../auth/service-liveness.ts'
import { allUses, usesOf, type ServiceUse } from '../auth/service-use-records.ts'
import {
  findByUsername,
  findUserById,
  findUserByIdentity,
  isPerson,
  listServices,
  type User,
} from '../users/records.ts'
import type { ServiceState } from './service-change.ts'

/** A service account with its owner and its last uses. */
export interface Service extends ServiceState {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly createdAt: number
  readonly owner: Pick<User, 'id' | 'username' | 'capabilities' | 'recoveries'> | null
  readonly uses: readonly ServiceUse[]
}

/** All accounts in the order of their creation, read with one SELECT for all uses and one per owner. */
export async function describedServices(reader: Reader): Promise<Service[]> {
  const uses = await allUses(reader)
  const owners = new Map<string, User | null>()
  const services: Service[] = []
  for (const row of await listServices(reader)) {
    const state = stateOf(row)
    const { owner } = state.account
    if (!owners.has(owner)) owners.set(owner, await ownerOf(reader, state.account))
    services.push(described(row, state, owners.get(owner) ?? null, uses.get(row.id) ?? []))
  }
  return services
}

/** @throws Fault `hsm.seal_broken` for a row that was edited so that it cannot be parsed */
export async function describedService(reader: Reader, row: User): Promise<Service> {
  const state = stateOf(row)
  return described(row, state, await ownerOf(reader, state.account), await usesOf(reader, row.id))
}

function described(row: User, state: ServiceState, owner: User | null, uses: readonly ServiceUse[]): Service {
  const { id, username: name, fullname: description, createdAt } = row
  return { id, name, description, createdAt, ...state, owner, uses }
}

/** @throws Fault `service.not_found` */
export async function serviceNamed(reader: Reader, name: string): Promise<Service> {
  const row = await findByUsername(reader, name)
  return describedService(reader, serviceIn(row, `There is no service account ${name}.`))
}

/** @throws Fault `service.not_found` */
export async function serviceById(reader: Reader, id: number): Promise<Service> {
  return describedService(reader, serviceIn(await findUserById(reader, id)))
}

/** The row, if it is that of a service account. @throws Fault `service.not_found` */
export function serviceIn(row: User | null, sentence?: string): User {
  if (row === null || isPerson(row)) throw new Fault('service.not_found', sentence)
  return row
}

/** Undefined where there is no such account. */
export async function ownerIdOf(reader: Reader, id: number): Promise<number | undefined> {
  const row = await findUserById(reader, id)
  if (row === null || isPerson(row)) return undefined
  return (await ownerOf(reader, stateOf(row).account))?.id
}

export const ownerOf = (reader: Reader, { owner }: ServiceAccount): Promise<User | null> =>
  findUserByIdentity(reader, Buffer.from(owner, 'hex'))

/** @throws Fault `hsm.seal_broken` for a row that was edited so that it cannot be parsed */
export const stateOf = (row: User): ServiceState => ({
  isActive: mayLogIn(row.capabilities),
  account: readAccount(row.service ?? '').account,
})
