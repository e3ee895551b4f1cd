import type { TestAppliance, TestUser } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { createObject, upload } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'

/** A person with a vault as people have them. */
export interface Stocked {
  readonly user: TestUser
  readonly client: TestClient
  readonly vaultid: string
  readonly server: string
  readonly folder: string
  readonly file: string
  readonly alarmed: string
}

export const fileContent = Buffer.from('<svg onload="alert(1)"></svg>')

export async function stock(appliance: TestAppliance): Promise<Stocked> {
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  for (const vaultname of ['Finance', 'Build machines', 'Web shop'])
    await client.must('POST', '/vault', { vaultname, description: `What belongs to ${vaultname}` })
  const { id: vaultid } = await makeVault(appliance, 'Network', client)
  const add = (members: object): Promise<string> => createObject(client, vaultid, members)
  const folder = await add({ templateid: '2', name: 'Core routers', info: 'In both halls' })
  const inner = await add({ templateid: '2', name: 'Hall B', parentid: folder })
  await add({ templateid: '2', name: 'Switches' })
  const server = await add({
    parentid: folder,
    host: 'core1.example.test',
    username: 'netops',
    password: 'S3cret-pass.phrase',
    info: 'Rack 14',
  })
  await add({ parentid: folder, host: 'core2.example.test', username: 'netops' })
  await add({ parentid: inner, host: 'edge7.example.test', username: 'root' })
  await add({ host: 'gate.example.test', username: 'admin' })
  await add({
    templateid: '20',
    name: 'Registrar',
    url: 'https://registrar.example.test',
    username: 'dns',
    password: 'An0ther-pass',
  })
  await add({ templateid: '9', name: 'Door of hall A', pincode: '4711' })
  const alarmed = await add({ templateid: '5', name: 'Break glass', note: 'In an emergency alone' })
  await client.must('PUT', `/object/${alarmed}/alarm`, { alarm: true })
  const file = await upload(
    client,
    { groupid: vaultid, templateid: '3', description: 'As drawn in spring' },
    fileContent,
    'plan.svg',
  )
  return { user, client, vaultid, server, folder, file, alarmed }
}

/** A new user who may read in the stocked vault, or write. */
export async function memberOf({ client, vaultid }: Stocked, appliance: TestAppliance, status = 1): Promise<TestUser> {
  const user = await appliance.addUser()
  await client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status })
  return user
}
