import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../clients/node/src/client.ts'
import { AuthenticationError, NotFoundError, PermissionError, StrongroomError } from '../../clients/node/src/errors.ts'
import { otpLogin } from '../../clients/node/src/logins.ts'
import { nodeTransport } from '../../clients/node/src/node-transport.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { makeVault } from '../support/vault.ts'
import { failureOf, nodeClient, personOf } from './node-client-kit.ts'

const appliance = applianceForTests()
let user: TestUser
let client: Client
let vault: string
beforeAll(async () => {
  user = await appliance.addUser()
  client = nodeClient(appliance, user)
  const { VAULT } = await client.call('vault.create', { body: { vaultname: 'Node' } })
  vault = VAULT[0]?.id ?? ''
})
afterAll(() => client.close())

describe('the client for Node.js', () => {
  it('logs in by itself, and encrypts and decrypts text and bytes', async () => {
    const key = client.key(vault, 'greeting')
    const ciphertext = await key.encrypt('Grüße')
    expect(ciphertext).toMatch(/^service:v1:/)
    expect(await key.decryptText(ciphertext)).toBe('Grüße')
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    expect(await key.decrypt(await key.encrypt(bytes, { aad: 'row 7' }), { aad: 'row 7' })).toEqual(bytes)
    expect(await key.decryptText(await key.encrypt(''))).toBe('')
  })

  it('binds a ciphertext to its additional data', async () => {
    const key = client.key(vault, 'greeting')
    const ciphertext = await key.encrypt('secret', { aad: 'row 7' })
    const failure: unknown = await key.decrypt(ciphertext, { aad: 'row 8' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StrongroomError)
    expect(failure).toMatchObject({ number: 1507, code: 'ciphertext.invalid', status: 400 })
  })

  it('rewraps to the version that a rotation made', async () => {
    const key = client.key(vault, 'turning')
    const old = await key.encrypt('secret')
    await client.call('transparent.key.rotate', { params: { vaultid: vault, name: 'turning' } })
    const fresh = await key.rewrap(old)
    expect(fresh).toMatch(/^service:v2:/)
    expect([await key.decryptText(old), await key.decryptText(fresh)]).toEqual(['secret', 'secret'])
  })

  it('signs, verifies, makes HMACs and data keys', async () => {
    await client.call('transparent.key.create', {
      params: { vaultid: vault, name: 'signer' },
      body: { type: 'ecdsa-p256' },
    })
    await client.call('transparent.key.create', {
      params: { vaultid: vault, name: 'mac' },
      body: { type: 'hmac-sha256' },
    })
    const signer = client.key(vault, 'signer')
    const signature = await signer.sign('a line')
    expect([await signer.verify('a line', signature), await signer.verify('another', signature)]).toEqual([true, false])
    const mac = client.key(vault, 'mac')
    const hmac = await mac.hmac('a line')
    expect([await mac.verifyHmac('a line', hmac), await mac.verifyHmac('another', hmac)]).toEqual([true, false])
    const { ciphertext, plaintext } = await client.key(vault, 'greeting').dataKey({ aad: 'file 1' })
    expect(plaintext).toHaveLength(32)
    expect(await client.key(vault, 'greeting').decrypt(ciphertext, { aad: 'file 1' })).toEqual(plaintext)
    expect((await client.key(vault, 'greeting').dataKey({ wrapped: true })).plaintext).toBeUndefined()
  })

  it('calls every operation by its name, with types of its own', async () => {
    const { VAULTS } = await client.call('vault.list')
    expect(VAULTS.map(({ id }) => id)).toContain(vault)
    const { CALLINFO } = await client.call('transparent.random', { body: { bytes: 16 } })
    expect(Buffer.from(CALLINFO.random_bytes, 'base64')).toHaveLength(16)
  })

  it('sends a file, and reads it again', async () => {
    const content = new TextEncoder().encode('a file of the client')
    const { CALLINFO } = await client.call('object.create', {
      body: { templateid: 3, groupid: vault, parentid: 0, objectname: 'note' },
      file: { name: 'note.txt', content, type: 'text/plain' },
    })
    const { FILEDATA = '' } = await client.call('object.read', {
      params: { objectid: CALLINFO.objectid },
      query: { decrypt: true, filedata: true },
    })
    expect(Buffer.from(FILEDATA, 'base64').toString()).toBe('a file of the client')
  })

  it('sends names and values beside a file as they are, line ends too', async () => {
    const info = 'first\nsecond\r\nthird'
    const name = 'of "Åsa"; filename="x.txt'
    const body = { templateid: 3, groupid: vault, parentid: 0, objectname: 'named', description: info }
    const { CALLINFO } = await client.call('object.create', { body, file: { name, content: new Blob(['Blob']) } })
    const read = { params: { objectid: CALLINFO.objectid }, query: { decrypt: true, filedata: true } }
    const { OBJECT, FILEDATA = '' } = await client.call('object.read', read)
    expect(OBJECT[0]).toMatchObject({ filename: name, public: { description: info } })
    expect(Buffer.from(FILEDATA, 'base64').toString()).toBe('Blob')
  })

  it('tells how far a large body is, out and in', async () => {
    const told: [done: number, total: number][] = []
    const transport = nodeTransport({ ca: appliance.ca, onProgress: (...one) => void told.push(one) })
    const press = () => Promise.resolve(user.hardwareToken.press())
    const own = nodeClient(appliance, user, {
      login: otpLogin({ ...personOf(appliance, user), otp: press }),
      transport,
    })
    await own.login()
    told.length = 0
    const content = new Uint8Array(300_000).fill(7)
    const body = { templateid: 3, groupid: vault, parentid: 0, objectname: 'large' }
    const { CALLINFO } = await own.call('object.create', { body, file: { name: 'large', content } })
    const sent = told.splice(0).filter(([, total]) => total > content.length)
    expect(sent.length).toBeGreaterThan(4)
    expect(sent.at(0)?.[0]).toBe(0)
    expect(sent.at(-1)?.[0]).toBe(sent.at(-1)?.[1])
    const read = { params: { objectid: CALLINFO.objectid }, query: { filedata: true } }
    const { FILEDATA = '' } = await own.call('object.read', read)
    expect(Buffer.from(FILEDATA, 'base64').equals(content)).toBe(true)
    expect(told.at(-1)?.[0]).toBeGreaterThan(FILEDATA.length)
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).toSorted((a, b) => a - b))
    own.close()
  })
})

describe('errors of the client', () => {
  it('are of a class for what callers tell apart, with number, code and sentence', async () => {
    const missing: unknown = await client
      .key(vault, 'nosuch')
      .decrypt('service:v1:AAAA')
      .catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing).toMatchObject({ name: 'NotFoundError', number: 1500, code: 'key.not_found', status: 404 })
    expect(String(missing)).toContain('There is no key of this name in the vault.')
    await expect(client.call('audit.list')).rejects.toBeInstanceOf(PermissionError)
  })

  it('tell a refused login', async () => {
    const login = otpLogin({ ...personOf(appliance, user), passphrase: 'wrong', otp: user.hardwareToken.press() })
    const stranger = nodeClient(appliance, user, { login })
    const failure: unknown = await stranger.login().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AuthenticationError)
    expect(failure).toMatchObject({ number: 1201, code: 'login.refused', status: 403 })
    stranger.close()
  })

  it('tell wrong use before anything is sent', async () => {
    expect(() => createClient({ url: 'http://127.0.0.1' })).toThrow('https://')
    expect(() => createClient({ url: appliance.url, token: 'kept\n' })).toThrow(/^The token.*a line break\.$/)
    // TLS would say that the CA is unknown, and the client to give it.
    for (const tls of [{ ca: 'ca.pem' }, { ca: [appliance.ca, ''] }, { cert: Buffer.from('x.pem') }])
      expect(() => nodeTransport(tls)).toThrow(/^(ca|cert) is the content of a PEM file, and not its path\.$/)
    await expect(client.key(vault, '..').sign('x')).rejects.toThrow('params.name')
    await expect(client.key('', 'x').sign('x')).rejects.toThrow('params.vaultid')
  })

  it('take text and bytes and nothing else: a number would be that many zeros, and an object no bytes', async () => {
    const key = client.key(vault, 'greeting')
    for (const wrong of [4, undefined, null, {}, [4]] as never[]) {
      for (const taking of [key.encrypt, key.sign, key.hmac])
        await expect(taking(wrong)).rejects.toThrow(/^Text or bytes/)
      if (wrong !== undefined) await expect(key.encrypt('x', { aad: wrong })).rejects.toThrow(/^Text or bytes/)
    }
    const { buffer } = Uint8Array.of(1, 2, 3)
    const views = [buffer, new DataView(buffer), new Uint8Array(buffer)] as never[]
    for (const view of views) expect(await key.decrypt(await key.encrypt(view))).toEqual(Uint8Array.of(1, 2, 3))
  })
})

describe('sessions of the client', () => {
  it('begin with a code of a hardware token', async () => {
    const press = () => Promise.resolve(user.hardwareToken.press())
    const own = nodeClient(appliance, user, { login: otpLogin({ ...personOf(appliance, user), otp: press }) })
    expect((await own.call('vault.list')).CALLINFO.status).toBe('SUCCESS')
    own.close()
  })

  it('that a given code began are not begun again with this code, which would count as a failed login', async () => {
    const one = await appliance.addUser()
    const own = nodeClient(appliance, one, {
      login: otpLogin({ ...personOf(appliance, one), otp: one.hardwareToken.press() }),
    })
    await own.login()
    const other = await appliance.login(one)
    await other.must('DELETE', `/user/${one.id}/sessions`)
    const spent = { code: 'session.invalid', message: expect.stringContaining('valid once') }
    expect(await failureOf(own.call('vault.list'))).toMatchObject(spent)
    expect(await failureOf(own.call('vault.list'))).toMatchObject(spent)
    own.close()
  })

  it('go on in another process with the token of the first, and end with the logout', async () => {
    const tokens: (string | undefined)[] = []
    const press = () => Promise.resolve(user.hardwareToken.press())
    const login = otpLogin({ ...personOf(appliance, user), otp: press })
    const first = nodeClient(appliance, user, { login, onToken: (token) => tokens.push(token) })
    await first.login()
    const [token] = tokens
    const second = createClient({
      url: appliance.url,
      token: token ?? '',
      transport: nodeTransport({ ca: appliance.ca }),
    })
    await second.call('auth.check')
    await first.logout()
    expect(tokens).toEqual([token, undefined])
    const ended: unknown = await second.call('auth.check').catch((error: unknown) => error)
    expect(ended).toBeInstanceOf(AuthenticationError)
    expect(ended).toMatchObject({ number: 1200 })
    first.close()
    second.close()
  })

  it('that the appliance has ended are begun again once, whatever the call', async () => {
    const press = () => Promise.resolve(user.hardwareToken.press())
    let logins = 0
    const own = nodeClient(appliance, user, {
      login: otpLogin({ ...personOf(appliance, user), otp: press }),
      onToken: (token) => void (logins += token === undefined ? 0 : 1),
    })
    await own.login()
    await client.call('user.sessions.end', { params: { userid: user.id } })
    const name = 'after the end'
    const made = await Promise.all(
      [1, 2, 3].map(async (part) => own.call('vault.create', { body: { vaultname: `${name} ${part}` } })),
    )
    expect(made).toHaveLength(3)
    const { VAULTS } = await own.call('vault.list')
    expect(VAULTS.filter(({ groupname }) => groupname.startsWith(name))).toHaveLength(3)
    expect(logins).toBe(2)
    own.close()
  })

  it('follow the rotation of their token, with many calls under way', async () => {
    const strict = await TestAppliance.own({ session: { rotation: 'strict', rotateAfterUses: 3 } })
    const owner = await strict.addUser()
    const tokens: (string | undefined)[] = []
    const own = nodeClient(strict, owner, { onToken: (token) => tokens.push(token), batch: false })
    const { id } = await makeVault(strict, 'Turning', await strict.login(owner))
    const key = own.key(id, 'k')
    for (let round = 0; round < 5; round++) await Promise.all([1, 2, 3, 4].map(async () => key.encrypt('x')))
    expect(new Set(tokens).size).toBeGreaterThan(2)
    // Refusals tell the next token as well.
    const last = tokens.at(-1)
    for (let call = 0; call < 4; call++) await failureOf(own.call('vault.read', { params: { vaultid: 987_654 } }))
    expect(tokens.at(-1)).not.toBe(last)
    own.close()
    await strict.close()
  })
})
