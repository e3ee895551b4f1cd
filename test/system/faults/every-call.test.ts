import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Overrides, TestAppliance, twoWorkers } from '../../support/appliance.ts'
import type { Answer } from '../../support/client.ts'
import { ClientCa } from '../../support/client-pki.ts'
import { contracts } from '../../support/contracts.ts'
import { methodOf, peopleCalls, secretFile, secretValue } from '../../support/people-calls.ts'
import { givenGround, type Ground, type PeopleCall, type ReadyCall } from '../../support/people-ground.ts'
import { withPasskeys } from '../../support/soft-authenticator.ts'
import { eventsOf } from '../../support/trail.ts'
import { emptyLog } from '../../support/database-owner.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { eventually, expectSoundTrail, processesOf, requestIdOf, stateOf, verdict } from '../../support/fault-kit.ts'

/** While something that every call or every change needs is gone, nothing can be done; afterwards everything can. */

const ca = new ClientCa()

interface Given {
  readonly appliance: TestAppliance
  readonly ground: Ground
  readonly calls: readonly Prepared[]
}

interface Prepared extends PeopleCall {
  readonly name: string
  readonly ready: ReadyCall
}

async function givenCalls(overrides: Overrides = {}): Promise<Given> {
  const appliance = await TestAppliance.own({ ...twoWorkers, ...withPasskeys, ...overrides })
  onTestFinished(() => appliance.close())
  const ground = await givenGround(appliance, ca)
  const calls: Prepared[] = []
  for (const [name, call] of Object.entries(peopleCalls))
    calls.push({ name, ...call, ready: await call.prepare(ground) })
  // The call that ends the session comes last.
  return {
    appliance,
    ground,
    calls: [...calls.filter(({ name }) => name !== 'GET /auth/logout'), ...calls.slice(0, 1)],
  }
}

function send({ ground: { chief } }: Given, { name, ready: { path, options } }: Prepared): Promise<Answer> {
  return chief.client.call(methodOf(name), path, options?.(chief))
}

/** Makes these calls. Each is refused with `refusal`, changes nothing, and reveals nothing. */
async function expectRefused(given: Given, calls: readonly Prepared[], refusal: string): Promise<void> {
  const before = await stateOf(given.appliance)
  const verdicts: Record<string, string> = {}
  for (const call of calls) {
    const answer = await send(given, call)
    verdicts[call.name] = verdict(answer)
    const { DATA: _, ...told } = answer.json
    for (const secret of [secretValue, secretFile.toString('base64', 0, 300)])
      expect(JSON.stringify(told), call.name).not.toContain(secret)
    expect(await stateOf(given.appliance), call.name).toEqual(before)
  }
  expect(verdicts).toEqual(Object.fromEntries(calls.map(({ name }) => [name, refusal])))
}

/** Makes all calls. Each succeeds and is recorded once, under its name. */
async function expectDone(given: Given, calls: readonly Prepared[]): Promise<void> {
  const verdicts: Record<string, string> = {}
  const made = new Map<string, string>()
  for (const call of calls) {
    const answer = await send(given, call)
    verdicts[call.name] = verdict(answer)
    made.set(requestIdOf(answer), call.name)
  }
  expect(verdicts).toEqual(Object.fromEntries(calls.map(({ name }) => [name, 'done'])))
  const told: Record<string, unknown[]> = {}
  for (const { requestId, operation, outcome } of eventsOf(given.appliance)) {
    const name = made.get(String(requestId))
    if (name !== undefined) told[name] = [...(told[name] ?? []), `${String(operation)} ${String(outcome)}`]
  }
  const expected = calls.map(({ name }) => [name, [...partsOf(name), `${operationOf(name)} allowed`]])
  expect(told).toEqual(Object.fromEntries(expected))
}

function operationOf(name: string): string {
  const place = name.replace(/ \(.*/, '')
  return contracts.find(({ method, path }) => `${method} ${path}` === place)?.operation ?? ''
}

/** The audit entries of a call. A decryption has its own, and so has the vault that something is moved to. */
function partsOf(name: string): string[] {
  if (name.includes('(into another vault)')) return ['object.decrypt allowed', 'object.move.in allowed']
  return /\(its (secrets|file)\)|\/copy$/.test(name) ? ['object.decrypt allowed'] : []
}

const changes = ({ reads }: Prepared): boolean => reads !== true

describe.skipIf(!mayMount)('a full disk (needs the right to mount)', () => {
  it('under the audit trail: every call is refused, whatever it does, and done when there is room', async () => {
    const disk = new FullDisk()
    onTestFinished(() => disk.remove())
    const given = await givenCalls({ audit: { directory: join(disk.path, 'audit') } })
    disk.fill(0)
    // The last page of a file has room for a few more records, which only callers with a session get when little is
    // left.
    const { token } = given.ground.chief.client
    for (let refusals = 0; refusals < 8;) {
      // New connections reach every worker.
      const caller = Object.assign(given.appliance.client(), { token })
      refusals = (await caller.get('/vault')).status === 503 ? refusals + 1 : 0
    }
    await expectRefused(given, given.calls, '503 1907')
    disk.free()
    await expectDone(given, given.calls)
    await given.appliance.stop()
    await expectSoundTrail(given.appliance)
  })

  it('under the database: every change is refused, every question answered', async () => {
    const disk = new FullDisk(32 * 1024)
    onTestFinished(() => disk.remove())
    const file = join(disk.path, 'strongroom.sqlite')
    const given = await givenCalls({ store: { sqlite: file } })
    // Free pages in the log would be room.
    emptyLog(given.appliance)
    disk.fill(0)
    await expectRefused(given, given.calls.filter(changes), '503 1905')
    await expectDone(
      given,
      given.calls.filter((call) => !changes(call)),
    )
    expect(given.appliance.journal).toContain('"code":"store.unavailable"')
    expect(given.appliance.journal).toContain('The disk of the database (store.sqlite) is full')
    for (const secret of [secretValue, given.ground.chief.user.passphrase, String(given.ground.chief.client.token)])
      expect(given.appliance.journal).not.toContain(secret)
    disk.free()
    await expectDone(given, given.calls.filter(changes))
  })
})

it('without the token: what needs it is refused without a trace, and done when it is back', async () => {
  const given = await givenCalls()
  const { tokenDirectory } = given.appliance.token
  renameSync(tokenDirectory, `${tokenDirectory}-away`)
  const killed = processesOf(given.appliance).hosts
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  // A killed process is seen until it has ended.
  await eventually(() => processesOf(given.appliance).hosts.filter((pid) => !killed.includes(pid)).length === 2)
  await expectRefused(
    given,
    given.calls.filter(({ usesToken }) => usesToken),
    '503 1900',
  )
  await expectDone(
    given,
    given.calls.filter(({ usesToken, reads }) => reads && !usesToken),
  )
  renameSync(`${tokenDirectory}-away`, tokenDirectory)
  await eventually(async () => (await given.ground.chief.client.get('/utils/pwgen')).status === 200)
  await expectDone(
    given,
    given.calls.filter((call) => changes(call) || call.usesToken),
  )
})
