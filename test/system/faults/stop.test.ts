import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { type Overrides, TestAppliance, type TestUser, twoWorkers } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { commonPki, issueCertificate, makePki, type Pki } from '../../support/pki.ts'
import { signalIfThere } from '../../support/processes.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import {
  attempt,
  doneOf,
  eventually,
  expectSoundTrail,
  outcomesIn,
  processesOf,
  requestIdOf,
  said,
  under,
  verdict,
} from '../../support/fault-kit.ts'

async function givenAppliance(overrides: Overrides = {}): Promise<TestAppliance> {
  const appliance = await TestAppliance.own({ ...twoWorkers, ...overrides })
  onTestFinished(() => appliance.close())
  return appliance
}

/** Outcomes of calls, and the request ids of answered ones. */
interface Seen {
  readonly verdicts: Set<string>
  readonly answered: Set<string>
}

/** One turn of a mixed load: an encryption, its decryption, a rotation. Checks the answers. */
async function work({ id }: TestVault, client: TestClient, round: number, seen: Seen): Promise<void> {
  const call = async (method: string, path: string, body?: unknown) => {
    const outcome = await attempt(client, method, `/transparent/${id}/${path}`, body)
    seen.verdicts.add(verdict(outcome))
    if (!('lost' in outcome)) seen.answered.add(requestIdOf(outcome))
    return doneOf([outcome])[0]
  }
  const plaintext = randomBytes(24).toString('base64')
  const sealed = await call('POST', 'encrypt/load', { plaintext })
  const opened = sealed && (await call('POST', 'decrypt/load', { ciphertext: said(sealed, 'ciphertext') }))
  if (opened) expect(said(opened, 'plaintext')).toBe(plaintext)
  if (round % 10 === 9) await call('POST', 'keys/load/rotate')
}

async function expectSealedToTheEnd(appliance: TestAppliance): Promise<void> {
  for (const { chain, unsealed } of await expectSoundTrail(appliance))
    expect({ chain, unsealed }).toEqual({ chain, unsealed: 0 })
}

/** A slow machine takes minutes for such hashes. */
const patient = { timeout: 600_000 }
/** Pass phrases take long to hash, and one is hashed after the other; the token is needed before and after. */
const slowHashes = { login: { argon2: { memoryKiB: 65_536, passes: 24, concurrency: 1 } } } as const

/** Waits until the logins of these users have come as far as the pass phrase: their OTP is used up before. */
async function hashing(appliance: TestAppliance, users: readonly TestUser[]): Promise<void> {
  const ids = users.map(({ id }) => id).join(', ')
  const question = `SELECT count(*) AS count FROM otp_devices WHERE counter > 0 AND user_id IN (${ids})`
  await eventually(async () => {
    const [row] = await appliance.store.query<{ count: number }>(question, [])
    return row?.count === users.length
  })
}

/** Whether the port accepts new connections. */
async function isOpen(appliance: TestAppliance, seen: Seen): Promise<boolean> {
  const outcome = await attempt(appliance.client(), 'GET', '/authinfo/logintypes')
  seen.verdicts.add(verdict(outcome))
  if ('lost' in outcome) return false
  seen.answered.add(requestIdOf(outcome))
  return true
}

it(
  'SIGTERM under load: what is under way is answered, new connections are refused, the trail is sealed to its end',
  patient,
  async () => {
    const appliance = await givenAppliance({
      http: { drainTimeoutMs: 60_000 },
      // Suspended hosts are not replaced meanwhile.
      hsm: { deadlineMs: 600_000 },
      ...slowHashes,
    })
    const vault = await makeVault(appliance)
    const users = await Promise.all(Array.from({ length: 3 }, () => appliance.addUser()))
    const seen: Seen = { verdicts: new Set(), answered: new Set() }
    const clients = Array.from({ length: 8 }, () => appliance.client(vault.admin.token))
    const earlier = outcomesIn(appliance.config.audit.directory)
    const { exitCode, logins, refused } = await under(
      clients.length,
      (loop, round) => work(vault, clients[loop] ?? vault.admin, round, seen),
      async () => {
        await sleep(300)
        const logins = Promise.all(
          users.map((user) => attempt(appliance.client(), 'POST', '/auth', appliance.credentials(user))),
        )
        await hashing(appliance, users)
        const { hosts } = processesOf(appliance)
        for (const pid of hosts) process.kill(pid, 'SIGSTOP')
        const stopped = appliance.stop('SIGTERM')
        await eventually(async () => !(await isOpen(appliance, seen)))
        const refused = { whileUnderWay: (await Promise.race([logins, sleep(0)])) === undefined }
        for (const pid of hosts) process.kill(pid, 'SIGCONT')
        return { exitCode: await stopped, logins: await logins, refused }
      },
    )
    expect(logins.map(verdict)).toEqual(users.map(() => 'done'))
    expect(refused).toEqual({ whileUnderWay: true })
    expect(exitCode).toBe(0)
    for (const harmless of ['done', '409 1906', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']) seen.verdicts.delete(harmless)
    expect([...seen.verdicts]).toEqual([])
    // Every performed call was answered as well: on a cut connection none had begun.
    for (const answer of doneOf(logins)) seen.answered.add(requestIdOf(answer))
    const recorded = outcomesIn(appliance.config.audit.directory)
    expect(new Set([...recorded.keys()].filter((id) => !earlier.has(id)))).toEqual(seen.answered)
    await expectSealedToTheEnd(appliance)
  },
)

it('a connection that the last worker refuses because it stops is closed', patient, async () => {
  const appliance = await givenAppliance({
    http: { drainTimeoutMs: patient.timeout, keepAliveTimeoutMs: patient.timeout },
    // Suspended hosts are not replaced meanwhile.
    hsm: { deadlineMs: 600_000 },
    ...slowHashes,
  })
  const user = await appliance.addUser()
  const { hosts, workers } = processesOf(appliance)
  // A login that waits for the token keeps its worker running, and the worker keeps the primary running.
  const login = attempt(appliance.client(), 'POST', '/auth', appliance.credentials(user))
  await hashing(appliance, [user])
  for (const pid of hosts) process.kill(pid, 'SIGSTOP')
  for (const pid of workers) process.kill(pid, 'SIGSTOP')
  const stopped = appliance.stop('SIGTERM')
  await eventually(() => appliance.journal.includes('"msg":"stopping"'))
  // The primary passes the connections to workers, which will read the order to stop before them.
  const ends = Promise.all(Array.from({ length: 8 }, () => endOfConnection(appliance)))
  await sleep(300)
  for (const pid of workers) process.kill(pid, 'SIGCONT')
  await ends
  for (const pid of hosts) process.kill(pid, 'SIGCONT')
  expect(verdict(await login)).toBe('done')
  expect(await stopped).toBe(0)
})

/** Sends a malformed request. Resolves when its connection is closed in any way. */
function endOfConnection(appliance: TestAppliance): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectPlain({ host: '127.0.0.1', port: appliance.config.http.port }, () => {
      socket.write('no request\r\n\r\n')
    })
    socket.on('error', () => {}).on('data', () => {})
    socket.on('close', () => resolve())
  })
}

it('a worker killed under load is replaced while others serve, and the trail holds together', async () => {
  const appliance = await givenAppliance()
  const vault = await makeVault(appliance)
  const seen: Seen = { verdicts: new Set(), answered: new Set() }
  const before = processesOf(appliance).workers
  const [victim = 0, other = 0] = before
  const clients = Array.from({ length: 8 }, () => appliance.client(vault.admin.token))
  await under(
    clients.length,
    async (loop, round) => {
      await work(vault, clients[loop] ?? vault.admin, round, seen)
      // The port stays open the whole time: no connection is refused.
      if (loop === 0) await isOpen(appliance, seen)
    },
    async () => {
      await sleep(300)
      process.kill(victim, 'SIGKILL')
      await eventually(() => !processesOf(appliance).workers.includes(victim))
      await eventually(() => appliance.journal.split('"msg":"worker listens"').length === before.length + 2)
    },
  )
  const after = processesOf(appliance).workers
  expect(after).toHaveLength(before.length)
  expect(after).toContain(other)
  for (const harmless of ['done', '409 1906', 'ECONNRESET', 'EPIPE']) seen.verdicts.delete(harmless)
  expect([...seen.verdicts]).toEqual([])
  expect(await appliance.stop()).toBe(0)
  const recorded = outcomesIn(appliance.config.audit.directory)
  expect([...seen.answered].filter((id) => !recorded.has(id))).toEqual([])
  await expectSealedToTheEnd(appliance)
})

/** With a process that waits to become a worker: half a minute after a start, but soon after a worker was replaced. */
async function givenSpare(): Promise<TestAppliance> {
  const appliance = await givenAppliance()
  const [worker = 0] = processesOf(appliance).workers
  process.kill(worker, 'SIGKILL')
  await eventually(() => processesOf(appliance).spare.length === 1)
  return appliance
}

it('workers killed together: the process that waits takes the place of one, and another waits for the next', async () => {
  const appliance = await givenSpare()
  const vault = await makeVault(appliance)
  for (let round = 0; round < 2; round++) {
    await eventually(() => processesOf(appliance).spare.length === 1)
    const { workers, spare } = processesOf(appliance)
    for (const pid of workers) process.kill(pid, 'SIGKILL')
    const others = () => processesOf(appliance).workers.filter((pid) => !workers.includes(pid))
    await eventually(() => others().length === workers.length)
    expect(others()).toEqual(expect.arrayContaining([...spare]))
    await eventually(async () => verdict(await attempt(vault.admin, 'GET', '/vault')) === 'done')
  }
  expect(await appliance.stop()).toBe(0)
  await expectSealedToTheEnd(appliance)
})

it('the process that waits to become a worker has opened no file of the appliance', async () => {
  const appliance = await givenSpare()
  const { workers, spare } = processesOf(appliance)
  const folder = dirname(appliance.config.audit.directory)
  const filesOf = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`)
      .map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
      .filter((path) => path.startsWith(folder))
  expect(spare.flatMap(filesOf)).toEqual([])
  expect(workers.flatMap(filesOf)).toContain(appliance.config.store.sqlite)
})

it('a worker killed before it took the connections that were meant for it leaves no client waiting', async () => {
  const appliance = await givenAppliance()
  const [victim = 0] = processesOf(appliance).workers
  process.kill(victim, 'SIGSTOP')
  const settled: string[] = []
  const calls = Array.from({ length: 8 }, async () => {
    settled.push(verdict(await attempt(appliance.client(), 'GET', '/authinfo/logintypes')))
  })
  await eventually(() => settled.length >= calls.length - 1)
  // On a busy machine the daemon has killed it before.
  signalIfThere(victim, 'SIGKILL')
  await Promise.all(calls)
  expect(settled.toSorted()).toEqual(['ECONNRESET', ...Array.from({ length: calls.length - 1 }, () => 'done')])
})

/** A separate server certificate, by the CA that the clients of all tests trust. */
function givenPki(): Pki {
  const shared = commonPki()
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-pki-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const file of [shared.ca, shared.caKey]) copyFileSync(file, join(directory, basename(file)))
  return makePki(directory)
}

function presented(appliance: TestAppliance): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: appliance.config.http.port, ca: appliance.ca }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

it('SIGHUP under load presents the new certificate, and no call fails', async () => {
  const pki = givenPki()
  const appliance = await givenAppliance({ tls: { certificate: pki.certificate, key: pki.key } })
  const vault = await makeVault(appliance)
  const seen: Seen = { verdicts: new Set(), answered: new Set() }
  const lasting = Array.from({ length: 4 }, () => appliance.client(vault.admin.token))
  await under(
    2 * lasting.length,
    async (loop, round) => {
      // Half of the loops connect again each time; the others keep their connections.
      const client = lasting[loop] ?? appliance.client(vault.admin.token)
      await work(vault, client, round, seen)
      if (!lasting.includes(client)) client.close()
    },
    async () => {
      await sleep(200)
      for (const name of ['renewed once', 'renewed twice']) {
        issueCertificate(pki, name)
        process.kill(appliance.pid, 'SIGHUP')
        await eventually(async () => (await presented(appliance)) === name && (await presented(appliance)) === name)
      }
    },
  )
  seen.verdicts.delete('409 1906')
  expect([...seen.verdicts]).toEqual(['done'])
  expect(readFileSync(pki.certificate, 'utf8')).toContain('BEGIN CERTIFICATE')
})
