import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verdict } from '../../support/fault-kit.ts'
import { hasBalancer, startMachines, type Machines } from '../../support/machines.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { makeVault } from '../../support/vault.ts'

describe.skipIf(!hasPostgres || !hasBalancer)('strict rotation of the token on two machines', () => {
  let machines: Machines

  beforeAll(async () => {
    machines = await startMachines(2, { session: { rotation: 'strict', rotateAfterUses: 3 } })
  })
  afterAll(() => machines.close())

  const use = (id: string, at: number, token: string | undefined) =>
    machines.all[at % machines.all.length]
      ?.client(token)
      .post(`/transparent/${id}/encrypt/used`, { plaintext: 'AAAA' }) ?? Promise.reject(new Error('no machine'))

  it('is followed from the one to the other, and parallel calls of both are given one next token', async () => {
    const { id, admin } = await makeVault(machines.appliance)
    let { token } = admin
    const seen = new Set<string | undefined>()
    for (let call = 0; call < 24; call++) {
      const answer = await use(id, call, token)
      expect(verdict(answer)).toBe('done')
      token = answer.json.CALLINFO.token
      seen.add(token)
    }
    expect(seen.size).toBeGreaterThan(3)

    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => use(id, at, token)))
      expect(answers.map(verdict)).toEqual(answers.map(() => 'done'))
      const next = new Set(answers.map(({ json }) => json.CALLINFO.token).filter((one) => one !== token))
      expect(next.size).toBeLessThanOrEqual(1)
      token = [...next][0] ?? token
    }
  })

  it('ends the session on both where a token of before is used on the other one', async () => {
    const { appliance } = machines
    const { id, admin } = await makeVault(appliance)
    const first = admin.token
    let token = first
    for (let call = 0; token === first; call++) token = (await use(id, call, token)).json.CALLINFO.token
    await appliance.sql(
      'UPDATE session_tokens SET superseded_at = superseded_at - 31000 WHERE superseded_at IS NOT NULL',
    )
    expect(verdict(await use(id, 1, first))).toBe('403 1200')
    for (const at of [0, 1]) expect(verdict(await use(id, at, token))).toBe('403 1200')
  })
})
