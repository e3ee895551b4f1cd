import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GrantEntry, keyOperations, objectOperations, type ScopedUse } from '../../../src/access/scope.ts'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import type { TestClient } from '../../support/client.ts'
import { contracts } from '../../support/contracts.ts'
import { verdict } from '../../support/fault-kit.ts'
import { expectUnharmed } from '../../support/health.ts'
import { goodCalls, type GoodCall } from './good-calls.ts'
import { makePremises, type Premises } from './premises.ts'
import { sendCall } from './sent-call.ts'

/**
 * Makes every call about a vault as members whose grants have one operation each. It succeeds where its contract names
 * that operation, and is refused everywhere else. New calls are covered by their contracts, and refused where those
 * name none.
 */
const calls = contracts.filter(
  ({ method, document, access }) => document === undefined && method !== 'LIST' && access.kind === 'vault',
)

interface NarrowMember {
  readonly userId: number
  readonly client: TestClient
  readonly entry: GrantEntry
}

/** Members by the operation that their grants allow. `random` concerns no vault, and allows no call about one. */
const members = new Map<ScopedUse, NarrowMember>()
const memberOf = new Map<string, Set<number>>()
let at: Premises

beforeAll(async () => {
  at = await makePremises()
  const entries: [ScopedUse, GrantEntry][] = [
    ...keyOperations.map((one): [ScopedUse, GrantEntry] => [`key.${one}`, { keys: '*', operations: [one] }]),
    ...objectOperations.map((one): [ScopedUse, GrantEntry] => [`object.${one}`, { objects: [one] }]),
  ]
  for (const [use, entry] of entries) {
    const user = await at.appliance.addUser(['read', 'createVault', 'active'])
    members.set(use, { userId: user.id, client: await at.appliance.login(user), entry })
  }
}, 120_000)
afterAll(async () => {
  await expectUnharmed(at.appliance)
  await at.close()
})

async function admit(vaultId: string, { userId, entry }: NarrowMember, grants: readonly GrantEntry[] = [entry]) {
  const admitted = memberOf.get(vaultId) ?? new Set()
  memberOf.set(vaultId, admitted)
  const method = admitted.has(userId) ? 'PUT' : 'POST'
  await at.admin.must(method, `/vault/${vaultId}/member/${userId}`, { status: 1, grants })
  admitted.add(userId)
}

function vaultOf({ params, members: sent }: GoodCall): string {
  const named = params?.['vaultid'] ?? sent?.['groupid']
  return typeof named === 'string' ? named : at.vaultId
}

const usesOf = ({ scopedUse }: AnyEndpoint, { members: sent = {} }: GoodCall): readonly ScopedUse[] =>
  typeof scopedUse === 'function' ? scopedUse(sent) : scopedUse === undefined ? [] : [scopedUse]

describe.each(calls.map((contract) => [`${contract.method} ${contract.path}`, contract] as const))(
  '%s',
  (name, contract) => {
    const forms = [goodCalls[name] ?? []].flat().map((arrange, index) => [index, arrange] as const)
    it.each(forms)(
      'is done by grants for it, and by no others (form %i)',
      { timeout: 120_000 },
      async (_index, arrange) => {
        let call = await arrange(at)
        const wanted = usesOf(contract, call)
        const outcomes: Record<string, string> = {}
        for (const [use, member] of members) {
          await admit(vaultOf(call), member)
          const isEnough = wanted.length > 0 && wanted.every((one) => one === use)
          outcomes[use] = verdict(await sendCall(member.client, contract, call))
          expect(outcomes[use], use).toBe(isEnough ? 'done' : '403 1301')
          if (isEnough && call.once) call = await arrange(at)
        }
        // All operations together suffice for calls whose contract names one, and for no others.
        const [member] = members.values()
        if (member === undefined) throw new Error('there is no member')
        await admit(vaultOf(call), member, [{ keys: '*', operations: keyOperations }, { objects: objectOperations }])
        expect(verdict(await sendCall(member.client, contract, call))).toBe(wanted.length > 0 ? 'done' : '403 1301')
        await admit(vaultOf(call), member)
      },
    )
  },
)

it('no call of a narrowed member changes anything: their contracts take Read', () => {
  const changing = calls.filter(({ scopedUse, access }) => scopedUse !== undefined && access.permission !== 'Read')
  expect(changing).toEqual([])
})
