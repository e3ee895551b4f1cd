import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { HardwareToken, totpCode } from '../../support/hardware-token.ts'
import { passphrase, strongroom } from '../../support/console-kit.ts'

describe('what the console makes opens a login', () => {
  const appliance = applianceForTests(() => TestAppliance.own())
  let apikey: string

  const ask = async (args: string[], input?: string) => {
    const { status, stdout, stderr } = await strongroom(appliance.configFile, ['--json', ...args], input)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const addUser = (name: string) =>
    ask(
      ['user', 'add', name, '--fullname', `User ${name}`, '--email', `${name}@example.test`, '--passphrase-file', '-'],
      passphrase,
    )
  const logIn = async (username: string, otp: string, logintype: string) =>
    (await appliance.client().post('/auth', { username, passphrase, otp, apikey, logintype }, { token: null })).status

  beforeAll(async () => {
    apikey = (await ask(['apikey', 'create', 'web'])).key
  })

  it('with the code that oathtool computes from the seed, once', async () => {
    await addUser('alice')
    const { uri, secret } = await ask(['otp', 'enroll', 'alice', '--totp'])
    expect(new URL(uri).searchParams.get('secret')).toBe(secret)
    expect(decodeURIComponent(new URL(uri).pathname)).toContain('Strongroom:alice')
    const code = totpCode(secret)
    expect(await logIn('alice', code, 'totp')).toBe(200)
    expect(await logIn('alice', code, 'totp')).toBe(403)
  })

  it('with a hardware token that came as a line of its maker, or in files', async () => {
    await addUser('bobby')
    const device = new HardwareToken()
    const line = `4711,${device.publicId},${device.privateId},${device.key},,2026-01-01T00:00:00,\n`
    expect(await ask(['otp', 'enroll', 'bobby', '--hardware-token'], line)).toMatchObject({ publicId: device.publicId })
    expect(await logIn('bobby', device.press(), 'hwkey_otp')).toBe(200)

    const another = new HardwareToken()
    const privateId = join(appliance.directory, 'private-id')
    const secret = join(appliance.directory, 'secret')
    writeFileSync(privateId, another.privateId, { mode: 0o600 })
    writeFileSync(secret, another.key, { mode: 0o600 })
    const files = ['--public-id', another.publicId, '--private-id-file', privateId, '--secret-file', secret]
    await ask(['otp', 'enroll', 'bobby', '--hardware-token', ...files])
    expect(await logIn('bobby', another.press(), 'hwkey_otp')).toBe(200)

    chmodSync(secret, 0o644)
    const exposed = await strongroom(appliance.configFile, ['otp', 'enroll', 'bobby', '--hardware-token', ...files])
    expect(exposed).toMatchObject({ status: 2, stderr: expect.stringContaining('chmod 0600') })
  })

  it('until the user is disabled, or the key revoked', async () => {
    await addUser('carol')
    const device = new HardwareToken()
    await ask(['otp', 'enroll', 'carol', '--hardware-token'], `${device.publicId},${device.privateId},${device.key}`)
    expect(await logIn('carol', device.press(), 'hwkey_otp')).toBe(200)
    await ask(['user', 'disable', 'carol'])
    expect(await logIn('carol', device.press(), 'hwkey_otp')).toBe(403)

    await addUser('david')
    const other = new HardwareToken()
    await ask(['otp', 'enroll', 'david', '--hardware-token'], `${other.publicId},${other.privateId},${other.key}`)
    await ask(['apikey', 'revoke', 'web'])
    expect(await logIn('david', other.press(), 'hwkey_otp')).toBe(403)
  })

  it('and never with a device that was described wrongly', async () => {
    const enroll = (input: string) =>
      strongroom(appliance.configFile, ['otp', 'enroll', 'alice', '--hardware-token'], input)
    const key = '00112233445566778899aabbccddeeff'
    for (const line of ['', 'nonsense', `vvccccdddfgh,0011,${key}`, `vvccccdddfgh,001122334455,${key.slice(2)}`]) {
      const { status, stderr } = await enroll(line)
      expect(status).toBe(2)
      // Half of a secret is still secret.
      expect(stderr).not.toContain(key.slice(0, 12))
    }
    expect((await strongroom(appliance.configFile, ['otp', 'enroll', 'alice'])).status).toBe(2)
    expect((await strongroom(appliance.configFile, ['otp', 'enroll', 'nobody', '--totp'])).status).toBe(1)
  })
})
