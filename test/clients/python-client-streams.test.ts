import { resolve } from 'node:path'
import { beforeAll, describe } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { nodeClient } from './node-client-kit.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

const appliance = applianceForTests()
let premises: object
beforeAll(async () => {
  const own = await premisesOf(appliance)
  premises = {
    ...own,
    vectors: resolve(import.meta.dirname, '../vectors/streams.json'),
    other: await byNode(own.userid),
  }
})

/** A stream that the client for Node.js sealed, in a vault that the user reads. */
async function byNode(userid: number) {
  const client = nodeClient(appliance, await appliance.addUser())
  const { VAULT } = await client.call('vault.create', { body: { vaultname: 'Of another' } })
  const vaultid = VAULT[0]?.id ?? ''
  await client.call('vault.member.add', { params: { vaultid, userid }, body: { status: '1' } })
  await client.call('transparent.key.create', { params: { vaultid, name: 'files' }, body: { type: 'aes256-gcm96' } })
  const source = new Blob(['as Node sealed it']).stream() as unknown as ReadableStream<Uint8Array>
  const sealed = client.key(vaultid, 'files').encryptStream(source, { aad: 'from Node' })
  const bytes = await new Response(sealed).arrayBuffer()
  client.close()
  return { vault: vaultid, stream: Buffer.from(bytes).toString('base64') }
}

describe('streams of the client for Python', () => {
  pythonTests('test_streams', () => premises)
})
