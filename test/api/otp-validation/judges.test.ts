import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HardwareToken } from '../../support/hardware-token.ts'
import { newNonce, queryOf, signature, TestValidator, type TestValidationClient } from './validation-kit.ts'

/** Clients by others, which know the protocol and nothing about Strongroom, use the validator. */
let validator: TestValidator
let client: TestValidationClient
let token: HardwareToken
let folder: string
let authority: string

beforeAll(async () => {
  validator = await TestValidator.start()
  client = await validator.addClient()
  token = (await validator.appliance.addUser()).hardwareToken
  folder = mkdtempSync(join(tmpdir(), 'strongroom-judges-'))
  authority = join(folder, 'ca.pem')
  writeFileSync(authority, validator.appliance.ca)
})
afterAll(() => validator.close())

interface Ended {
  readonly code: number | null
  readonly output: string
}

function run(
  command: string,
  args: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { env: { ...process.env, ...environment } })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes))
    child.once('error', fail)
    child.once('close', (code) => done({ code, output }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

describe('ykclient', () => {
  const ykclient = ({ id, key }: { id: number; key: string }, otp: string, trust = ['--cai', authority]) => {
    const signing = key === '' ? [] : ['--apikey', key]
    return run('ykclient', ['--debug', '--url', validator.url, ...trust, ...signing, String(id), otp])
  }

  it('accepts the signed OK of a fresh OTP, and tells a replay by its exit code 2', async () => {
    const otp = token.press()
    expect(await ykclient(client, otp)).toMatchObject({ code: 0 })
    expect(await ykclient(client, otp)).toMatchObject({ code: 2 })
    expect(await ykclient(client, token.press())).toMatchObject({ code: 0 })
  })

  it('is refused with the key of another client, and does not believe an answer signed with a key it does not hold', async () => {
    const other = await validator.addClient()
    const { code, output } = await ykclient({ id: client.id, key: other.key }, token.press())
    expect(code).not.toBe(0)
    expect(output).toMatch(/signature/i)
  })

  it('reads the answers to an OTP of nobody, to an unknown client and to a revoked one', async () => {
    const nobodys = await ykclient(client, `cccccccccccc${token.press().slice(12)}`)
    expect(nobodys).toMatchObject({ code: 3, output: expect.stringContaining('BAD_OTP') })

    expect((await ykclient({ id: 999_999, key: '' }, token.press())).output).toContain('NO_SUCH_CLIENT')

    const { services, commit } = validator.appliance
    const revoked = await validator.addClient()
    await services.validationClients.revoke(revoked.name, commit)
    expect((await ykclient(revoked, token.press())).output).toContain('OPERATION_NOT_ALLOWED')
  })

  it('does not speak to a validator whose certificate no authority of its own has signed', async () => {
    const otp = token.press()
    const { code, output } = await ykclient(client, otp, [])
    expect(code).not.toBe(0)
    expect(output).toContain('Error performing curl')
    expect(await ykclient(client, otp)).toMatchObject({ code: 0 })
  })
})

describe('pam_yubico', () => {
  let environment: NodeJS.ProcessEnv

  beforeAll(() => {
    const preloaded = join(folder, 'pam-folder.so')
    execFileSync('gcc', ['-shared', '-fPIC', '-o', preloaded, resolve(import.meta.dirname, 'pam-folder.c')])
    const mapping = join(folder, 'mapping')
    writeFileSync(mapping, `alice:${token.publicId}\n`)
    const options = `id=${client.id} key=${client.key} urllist=${validator.url} cainfo=${authority} authfile=${mapping}`
    writeFileSync(join(folder, 'strongroom'), `auth required pam_yubico.so ${options}\n`)
    environment = { PAM_FOLDER: folder, LD_PRELOAD: preloaded }
  })

  const authenticate = (user: string, otp: string) =>
    run('pamtester', ['strongroom', user, 'authenticate'], { input: `${otp}\n`, environment })

  it('lets in who presses the right token, once', async () => {
    const otp = token.press()
    expect(await authenticate('alice', otp)).toMatchObject({ code: 0 })
    expect(await authenticate('alice', otp)).toMatchObject({ code: 1 })
    expect(await authenticate('alice', token.press())).toMatchObject({ code: 0 })
  })

  it("does not let in another user, or with another's token", async () => {
    expect(await authenticate('mallory', token.press())).toMatchObject({ code: 1 })
    const other = (await validator.appliance.addUser()).hardwareToken
    expect(await authenticate('alice', other.press())).toMatchObject({ code: 1 })
  })
})

describe('the client of python3-yubiotp', () => {
  it('finds a fresh OTP good, with signature, nonce and OTP of the answer as they must be, and a replay bad', async () => {
    const program = `
import json, ssl, sys, urllib.request
from base64 import b64decode
import yubiotp.client as c
url, ca, id, key, otp = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
c.urlopen = lambda address: urllib.request.urlopen(address, context=context)
client = c.YubiClient20(int(id), b64decode(key), ssl=True, timestamp=True, sl='secure', timeout=5)
client.base_url = url
first, second = client.verify(otp), client.verify(otp)
print(json.dumps([[a.is_ok(), a.is_valid(), a.is_signature_valid(), a.is_token_valid(), a.is_nonce_valid(), a.fields['status']] for a in (first, second)]))
`
    const args = ['-c', program, validator.url, authority, String(client.id), client.key, token.press()]
    const { output } = await run('/usr/bin/python3', args)
    expect(JSON.parse(output)).toEqual([
      [true, true, true, true, true, 'OK'],
      [false, true, true, true, true, 'REPLAYED_OTP'],
    ])
  })
})

describe('curl', () => {
  it.each(['--http1.1', '--http2'])('with %s gets the lines of the protocol', async (version) => {
    const members = { id: String(client.id), nonce: newNonce(), otp: token.press() }
    const url = `${validator.url}?${queryOf(members)}&h=${encodeURIComponent(signature(client.key, members))}`
    const text = await new Promise((done) => {
      execFile('curl', ['-sS', version, '--cacert', authority, url], (_error, stdout, stderr) => done(stdout + stderr))
    })
    expect(text).toMatch(/^h=.*\r\nt=.*\r\notp=.*\r\nnonce=.*\r\nsl=100\r\nstatus=OK\r\n\r\n$/)
  })
})
