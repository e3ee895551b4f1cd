import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { GrantRequest, Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { openRecord } from '../../src/hsm/record-layouts.ts'
import { TestAppliance } from '../support/appliance.ts'
import { type GrantEdits, grantRequest, newIdentity } from '../support/grant-kit.ts'

/**
 * Code in a worker asks the keeper for more than the callers may do whose tokens pass through it. It has every sealed
 * record there ever was, and no PIN.
 */
let appliance: TestAppliance
let worker: Hsm

beforeAll(async () => {
  appliance = await TestAppliance.shared()
  const { sockets, deadlineMs, queue } = appliance.config.hsm
  worker = createHsmClient({ sockets, keeper: keeperOf(appliance.config).socket, deadlineMs, queue })
})
afterAll(async () => {
  await worker.close()
  await appliance.close()
})

const given = (edits?: GrantEdits): GrantRequest => grantRequest(appliance.token, edits)
const asked = (request: GrantRequest) => expect(worker.grant(request))

function read({ record }: SealedRecord): Record<string, unknown> {
  const { type, fields } = openRecord(record)
  return { type, ...fields }
}

describe('a grant', () => {
  it('is given on a session and its token, for a minute at most, and bears the seal', async () => {
    const { grant, expiresAt } = await worker.grant(given())
    await worker.verify(grant)
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000)
    expect(read(grant)).toMatchObject({ type: 'grant', userId: 4711, vaultId: 7, permission: 2, expiresAt })
  })

  it('ends with its session', async () => {
    const expiresAt = Date.now() + 5_000
    expect(await worker.grant(given({ session: { expiresAt } }))).toMatchObject({ expiresAt })
  })

  it('names no vault where no membership is shown', async () => {
    const { grant } = await worker.grant({ ...given(), membership: undefined })
    expect(read(grant)).toMatchObject({ vault: null, vaultId: null, permission: 0 })
  })

  it('is not given without the token of the session, or with that of another', async () => {
    const [request, other] = [given(), given()]
    await asked({ ...request, token: '' }).rejects.toMatchObject({ code: 'session.invalid' })
    await asked({ ...request, token: other.token }).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it.each<[string, GrantEdits]>([
    ['that has expired', { session: { expiresAt: Date.now() - 1 } }],
    ['of a user who is disabled', { user: { capabilities: capabilitiesOf(['read']) } }],
    ['of an escrow account', { user: { capabilities: capabilitiesOf(['active', 'escrow']) } }],
    ['of an application whose key is revoked', { applicationKey: { revokedAt: 1 } }],
  ])('is not given to a session %s', async (_which, edits) => {
    await asked(given(edits)).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it.each<[string, GrantEdits, string]>([
    ['of a member who was removed', { membership: { permission: 0 } }, 'vault.not_found'],
    ['that rests since the user was recovered', { user: { recoveries: 1 } }, 'access.resting'],
    ['that rested when the session began', { session: { recoveries: 1 } }, 'access.resting'],
    ['of another user', { membership: { user: newIdentity() } }, 'hsm.rejected'],
    ['beside the record of another user', { user: { identity: newIdentity() } }, 'hsm.rejected'],
    ['beside the key of another application', { applicationKey: { identity: newIdentity() } }, 'hsm.rejected'],
  ])('is not given by a membership %s', async (_which, edits, code) => {
    await asked(given(edits)).rejects.toMatchObject({ code })
  })

  it('is not given by a record that was edited, or made up', async () => {
    const request = given()
    for (const name of ['session', 'user', 'applicationKey'] as const) {
      const record = Buffer.from(request[name].record)
      record[record.length - 1] = 0x39
      await asked({ ...request, [name]: { ...request[name], record } }).rejects.toMatchObject({
        code: 'hsm.seal_broken',
      })
    }
    const made = { record: request.session.record, seal: Buffer.alloc(32) }
    await asked({ ...request, membership: { sealed: made, vaultId: 7 } }).rejects.toMatchObject({
      code: 'hsm.seal_broken',
    })
  })

  it('is not given by a record of another kind', async () => {
    const { session, user, ...request } = given()
    await asked({ ...request, session: user, user: session }).rejects.toMatchObject({ code: 'hsm.rejected' })
  })

  it('is not given by a record that was put back', async () => {
    const identity = newIdentity()
    const [before, now] = [
      given({ user: { identity }, session: { user: identity } }),
      given({ user: { identity, generation: 2 } }),
    ]
    const request = { ...before, membership: undefined }
    await worker.grant(request)
    await worker.raise([now.user])
    await asked(request).rejects.toMatchObject({ code: 'hsm.outdated' })
  })

  it('is not given to a session that was ended', async () => {
    const request = given()
    await worker.grant(request)
    await worker.endSessions([request.session])
    await asked(request).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it('is sealed for nobody', async () => {
    const { grant } = await worker.grant(given())
    await expect(worker.seal(grant.record)).rejects.toMatchObject({ code: 'hsm.rejected' })
    await expect(worker.seal(grant.record, grant)).rejects.toMatchObject({ code: 'hsm.rejected' })
  })
})
