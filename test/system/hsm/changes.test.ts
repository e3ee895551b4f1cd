import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pkcs11 from 'pkcs11js'
import { afterEach, expect, it } from 'vitest'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import { makeToken, type TestToken } from '../../support/token.ts'
import { vaultKeyPurpose } from '../../../src/hsm/provenance.ts'
import { eventually } from '../../support/fault-kit.ts'
import { destroyUnused, type Hosts, makeShim, startHosts } from './hsm-kit.ts'
import { madeObject, madeVaultKey, objectPermit } from '../../support/token-objects.ts'

let hosts: Hosts
const clients: Hsm[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await hosts.close()
})
const rounds = { side: 8, each: 16 }

/** Runs `work` many times concurrently, with one client for each of two workers. */
async function atOnce(work: (one: Hsm, other: Hsm) => Promise<void>): Promise<void> {
  hosts = await startHosts({ count: 2, keeper: true })
  const open = () => createHsmClient({ sockets: hosts.sockets, deadlineMs: 20_000, queue: 4096 })
  const [one, other] = [open(), open()]
  clients.push(one, other)
  await Promise.all(
    Array.from({ length: rounds.side }, async (_, side) => {
      for (let round = 0; round < rounds.each; round++) await (side % 2 === 0 ? work(one, other) : work(other, one))
    }),
  )
}

const objectsIn = ({ tokenDirectory }: TestToken): number =>
  readdirSync(tokenDirectory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.object')).length

it('a key made in the token at the same moment as others can be used through every host', async () => {
  const refused: unknown[] = []
  await atOnce(async (one, other) => {
    const { id } = await madeObject({ token: hosts.token, hsm: one }, 'aes256-gcm')
    const key = await hosts.reference('aes256-gcm', { kek: 'token', blob: Buffer.from(id, 'hex') })
    for (const hsm of [other, one, other, one])
      await hsm.encrypt(key, Buffer.from('x')).catch((error) => refused.push(error))
  })
  expect(refused).toEqual([])
})

it('a vault key made at the same moment as others is found to be destroyed', async () => {
  let before: number | undefined
  await atOnce(async (one, other) => {
    before ??= objectsIn(hosts.token)
    const purpose = vaultKeyPurpose(Buffer.alloc(16))
    const { id, provenance } = await madeVaultKey({ token: hosts.token, hsm: one }, purpose)
    const object = { kind: 'aes256-gcm', kek: 'vault', blob: Buffer.from(id, 'hex') }
    const unused = await hosts.hsm.sealUnused({ ...object, purpose, provenance })
    await other.destroyObject(unused, unused)
  })
  expect(objectsIn(hosts.token)).toBe(before)
})

/** Two machines with one token: the client of each makes objects by a host of its own. */
async function givenUnseen(): Promise<{ readonly hsm: Hsm; readonly id: string }> {
  const token = await makeToken()
  const shim = makeShim(token)
  hosts = await startHosts({ count: 2, token, keeper: true, hsm: { module: shim.module } })
  // The last one also makes the vault's key for the references below. A key by another process would cause a reopening.
  const [other, one] = hosts.sockets.map((socket) =>
    createHsmClient({ sockets: [socket], deadlineMs: 20_000, queue: 4096 }),
  )
  if (one === undefined || other === undefined) throw new Error('there are no two hosts')
  clients.push(one, other)
  shim.command('C_GenerateKey wait-once')
  const slow = madeObject({ token, hsm: one }, 'aes256-gcm')
  await eventually(() => shim.calls('C_GenerateKey').some((line) => line.startsWith('waits')))
  const { id } = await madeObject({ token, hsm: other }, 'aes256-gcm')
  shim.command('C_GenerateKey goes-on')
  await slow
  return { hsm: one, id }
}

it('a key made by another machine while this one made its own can be used here', async () => {
  const { hsm, id } = await givenUnseen()
  const key = await hosts.reference('aes256-gcm', { kek: 'token', blob: Buffer.from(id, 'hex') })
  const ciphertext = await hsm.encrypt(key, Buffer.from('x'))
  expect(await hsm.decrypt(key, ciphertext)).toEqual(Buffer.from('x'))
  // The object was not seen at first.
  expect((await hsm.status())[0]?.token?.epoch).toBe(2)
})

it('a key made by another machine while this one made its own can be destroyed here', async () => {
  const { hsm, id } = await givenUnseen()
  const before = objectsIn(hosts.token)
  await destroyUnused({ hsm, token: hosts.token }, 'token', id)
  expect(objectsIn(hosts.token)).toBe(before - 1)
})

it('a permit makes its object at another host where the one that was asked ends before, and makes no second one', async () => {
  const token = await makeToken()
  const shim = makeShim(token)
  hosts = await startHosts({ count: 2, token, hsm: { module: shim.module } })
  const before = objectsIn(token)
  const permit = objectPermit(token)
  shim.command('C_GenerateKey wait-once')
  const made = hosts.hsm.createTokenObject('aes256-gcm', permit)
  await eventually(() => shim.calls('C_GenerateKey').some((line) => line.startsWith('waits')))
  process.kill(hosts.pids()[1] ?? 0, 'SIGKILL')
  await made
  await expect(hosts.hsm.createTokenObject('aes256-gcm', permit)).rejects.toMatchObject({ code: 'hsm.unavailable' })
  expect(objectsIn(token)).toBe(before + 1)
})

it('an object that does not exist is looked for once, and reported as destroyed', async () => {
  hosts = await startHosts({})
  const key = await hosts.reference('aes256-gcm', { kek: 'token', blob: randomBytes(16) })
  for (let round = 0; round < 3; round++)
    await expect(hosts.hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.rejected' })
  expect((await hosts.hsm.status())[0]?.token?.epoch).toBe(2)
  const another = await hosts.reference('aes256-gcm', { kek: 'token', blob: randomBytes(16) })
  await expect(hosts.hsm.encrypt(another, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.unavailable' })
})

/** A file of an object as another process writes it, with only its first attribute. */
function halfMade({ tokenDirectory }: TestToken): string {
  const [some] = readdirSync(tokenDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('/token.object'),
  )
  const name = join(tokenDirectory, dirname(some ?? ''), randomUUID())
  const number = (value: number): Buffer => Buffer.from(value.toString(16).padStart(16, '0'), 'hex')
  const generation = number(2)
  const secretKey = [number(pkcs11.CKA_CLASS), number(2), number(pkcs11.CKO_SECRET_KEY)]
  const noTokenObjectYet = [number(pkcs11.CKA_TOKEN), number(1), Buffer.of(0)]
  writeFileSync(`${name}.lock`, '')
  writeFileSync(`${name}.object`, Buffer.concat([generation, ...secretKey, ...noTokenObjectYet]))
  return `${name}.object`
}

it('a host that looks for its keys does not touch an object that another process is making', async () => {
  const token = await makeToken()
  const file = halfMade(token)
  const before = readFileSync(file)
  hosts = await startHosts({ token })
  await hosts.givenKey('aes256-gcm')
  expect(readFileSync(file)).toEqual(before)
})
