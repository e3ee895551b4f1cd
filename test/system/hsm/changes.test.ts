import { readdirSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import type { TestToken } from '../../support/token.ts'
import { vaultKeyPurpose } from '../../../src/hsm/provenance.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'

let hosts: Hosts
const clients: Hsm[] = []

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await hosts.close()
})
const rounds = { side: 8, each: 16 }

/** Runs `work` many times at once, with two clients that prefer different hosts, as two workers do. */
async function atOnce(work: (one: Hsm, other: Hsm) => Promise<void>): Promise<void> {
  hosts = await startHosts({ count: 2, keeper: true })
  const open = (sockets: readonly string[]) => createHsmClient({ sockets, deadlineMs: 20_000, queue: 4096 })
  const [one, other] = [open(hosts.sockets), open(hosts.sockets.toReversed())]
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
    const { id } = await one.createTokenObject('aes256-gcm')
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
    const { id, provenance } = await one.createVaultKey(vaultKeyPurpose)
    const object = { kind: 'aes256-gcm', kek: 'vault', blob: Buffer.from(id, 'hex') }
    const unused = await hosts.hsm.sealUnused({ ...object, purpose: vaultKeyPurpose, provenance })
    await other.destroyObject(unused, unused)
  })
  expect(objectsIn(hosts.token)).toBe(before)
})
