import { afterEach, expect, it } from 'vitest'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import { keyPairKinds, type KeyKind } from '../../../src/hsm/key-kind.ts'
import { operations } from '../../../src/hsm/protocol/frame.ts'
import { ask } from '../../support/frame-caller.ts'
import { makeToken } from '../../support/token.ts'
import { eventually } from '../../support/fault-kit.ts'
import { makeShim, startHosts, type Hosts } from './hsm-kit.ts'

let hosts: Hosts | undefined
afterEach(() => hosts?.close())

const plain = { exportable: false, backup: false }
const rsa = keyPairKinds.filter((kind) => kind.startsWith('rsa-'))

it('RSA keys are ready before they are asked for, and each is used once', async () => {
  const token = await makeToken()
  const shim = makeShim(token)
  hosts = await startHosts({ token, keyMaker: true, hsm: { module: shim.module, rsaKeysAhead: 1 } })
  const { hsm } = hosts
  const made = () => shim.calls('C_GenerateKeyPair').length
  await eventually(() => made() === rsa.length)
  // From now on the token makes no more key pairs.
  shim.command('C_GenerateKeyPair fail 0x31')
  const first = await hsm.generate('rsa-2048', { exportable: true, backup: true })
  expect(first.kek).toMatch(/^exportable\./)
  expect(first.backup?.kek).toMatch(/^backup-exportable\./)
  await expect(hsm.generate('rsa-2048', plain)).rejects.toMatchObject({ code: 'hsm.unavailable' })
  expect((await hsm.generate('rsa-4096', plain)).kek).toMatch(/^strict\./)
  shim.behave()
  const second = await hsm.generate('rsa-2048', plain)
  expect(second.publicKey?.equals(first.publicKey ?? Buffer.alloc(0))).toBe(false)
})

it('no other host makes an RSA key, whoever asks', async () => {
  hosts = await startHosts({ keyMaker: true })
  const [socket = ''] = hosts.sockets
  const flags = [Buffer.from('0'), Buffer.from('0')]
  for (const kind of rsa)
    for (const operation of ['generate', 'createTokenObject'] as const)
      await expect(ask(socket, operation, [Buffer.from(kind), ...flags])).resolves.toMatchObject({
        fault: 'hsm.rejected',
      })
})

it('the key maker does nothing else, whoever asks', async () => {
  hosts = await startHosts({ keyMaker: true })
  const served: string[] = []
  for (const operation of operations) {
    const answer = await ask(`${hosts.token.directory}/key-maker.sock`, operation, [])
    if (!('fault' in answer)) served.push(operation)
    else if (answer.detail.includes('does nothing else')) expect(answer.fault).toBe('hsm.rejected')
    else served.push(operation)
  }
  expect(served).toEqual(['ping', 'status', 'generate', 'createTokenObject'])
  for (const kind of ['aes256-gcm', 'ec-p256'] as const satisfies KeyKind[])
    expect(await ask(`${hosts.token.directory}/key-maker.sock`, 'generate', [Buffer.from(kind)])).toMatchObject({
      fault: 'hsm.rejected',
    })
})

it('without the key maker no RSA key is made, and all else goes on', async () => {
  hosts = await startHosts()
  const keyMakerSocket = `${hosts.token.directory}/key-maker.sock`
  const hsm = createHsmClient({ sockets: hosts.sockets, keyMakerSocket, deadlineMs: 10_000, queue: 100 })
  const key = await hosts.givenKey('aes256-gcm')
  await expect(hsm.generate('rsa-2048', plain)).rejects.toMatchObject({ code: 'hsm.unavailable', retryAfterMs: 5_000 })
  expect(await hsm.decrypt(key, await hsm.encrypt(key, Buffer.from('text')))).toEqual(Buffer.from('text'))
  expect(await hsm.status()).toMatchObject([{ state: 'ready' }, { isKeyMaker: true, state: 'down' }])
  await hsm.close()
})

it('beyond a short queue requests for RSA keys are refused, and the frames of other hosts pass', async () => {
  const token = await makeToken()
  const shim = makeShim(token)
  hosts = await startHosts({ token, keyMaker: true, hsm: { module: shim.module } })
  const { hsm } = hosts
  const key = await hosts.givenKey('aes256-gcm')
  shim.command('C_GenerateKeyPair slow 300')
  let waiting = 20
  const asked = Array.from({ length: 20 }, () =>
    hsm
      .generate('rsa-2048', plain)
      .then(() => 'made')
      .catch((error: { code: string; retryAfterMs: number }) => `${error.code} ${error.retryAfterMs}`)
      .finally(() => waiting--),
  )
  await hsm.encrypt(key, Buffer.from('text'))
  expect(waiting).toBeGreaterThan(0)
  const outcomes = await Promise.all(asked)
  expect(new Set(outcomes)).toEqual(new Set(['made', 'hsm.unavailable 5000']))
})
