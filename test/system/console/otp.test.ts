import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { base32nopad } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { HardwareToken, hotpCodes } from '../../support/hardware-token.ts'
import { strongroom } from '../../support/console-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own())

const run = (args: string[], input?: string) => strongroom(appliance.configFile, args, input)
const ask = async (args: string[], input?: string) => {
  const { status, stdout, stderr } = await run(['--json', ...args], input)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}
const logIn = async (user: TestUser, otp: string) =>
  (await appliance.client().post('/auth', { ...appliance.credentials(user), otp })).status
const secretFile = (name: string, text: string): string => {
  const file = join(appliance.directory, name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

describe('strongroom otp', () => {
  it('enrols a HOTP token, brings it back into step, and takes it away', async () => {
    const user = await appliance.addUser()
    const { secret, uri, id } = await ask([
      'otp',
      'enroll',
      user.username,
      '--hotp',
      '--digits',
      '8',
      '--algorithm',
      'SHA1',
    ])
    expect(uri).toMatch(/^otpauth:\/\/hotp\/Strongroom:.*digits=8.*counter=0/)
    const codes = hotpCodes(secret, 0, { count: 60, digits: 8 })
    expect(await logIn(user, codes[0] ?? '')).toBe(200)
    expect(await logIn(user, codes[40] ?? '')).toBe(403)
    expect(await ask(['otp', 'resync', user.username], `${codes[40]} ${codes[41]}\n`)).toEqual({
      username: user.username,
      id,
    })
    expect(await logIn(user, codes[41] ?? '')).toBe(403)
    expect(await logIn(user, codes[42] ?? '')).toBe(200)

    expect(await ask(['otp', 'list', user.username])).toMatchObject([
      { kind: 'hwkey_otp', publicId: user.hardwareToken.publicId, algorithm: null },
      { kind: 'totp', algorithm: 'sha1', digits: 6, periodSeconds: 30 },
      { id, kind: 'hotp', digits: 8, usedAt: expect.any(Number) },
    ])
    expect((await run(['otp', 'list', user.username])).stdout).toMatch(/^\d+ +hotp +sha1, 8 digits /m)
    await ask(['otp', 'remove', user.username, String(id)])
    expect(await logIn(user, codes[43] ?? '')).toBe(403)
    expect(await run(['otp', 'remove', user.username, String(id)])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no such OTP device'),
    })
  })

  it('takes the seed of a token from a private file, and does not show it', async () => {
    const user = await appliance.addUser()
    const seed = base32nopad.encode(Buffer.from('the seed of a token '))
    const file = secretFile('seed', `${seed.toLowerCase().replaceAll(/.{4}/g, '$& ')}\n`)
    const enroll = ['otp', 'enroll', user.username, '--hotp', '--seed-file', file, '--counter', '9']
    expect(JSON.stringify(await ask(enroll))).not.toContain(seed)
    expect(await logIn(user, hotpCodes(seed, 9)[0] ?? '')).toBe(200)
    chmodSync(file, 0o644)
    expect(await run(enroll)).toMatchObject({ status: 2, stderr: expect.stringContaining('chmod 0600') })
  })

  const unusable: readonly (readonly [string, string[], number])[] = [
    ['no kind', [], 2],
    ['two kinds', ['--totp', '--hotp'], 2],
    ['an unknown hash', ['--totp', '--algorithm', 'md5'], 2],
    ['digits that are none', ['--totp', '--digits', '6.5'], 2],
    ['nine digits', ['--totp', '--digits', '9'], 1],
    ['a period of 10 seconds', ['--totp', '--period', '10'], 1],
    ['a period for HOTP', ['--hotp', '--period', '30'], 1],
    ['a counter for TOTP', ['--totp', '--counter', '3'], 1],
    ['a public id for TOTP', ['--totp', '--public-id', 'cccccccccccc'], 2],
    ['digits for a hardware token', ['--hardware-token', '--digits', '6'], 2],
  ]
  it.each(unusable)('enrols nothing with %s', async (_what, options, status) => {
    expect((await run(['otp', 'enroll', (await appliance.addUser()).username, ...options])).status).toBe(status)
  })

  it('reads two codes for a resynchronisation, and nothing else', async () => {
    const user = await appliance.addUser()
    await ask(['otp', 'enroll', user.username, '--hotp'])
    for (const input of ['', '123456', '123456 12345', '123456 123456 123456', 'abcdef ghijkl'])
      expect((await run(['otp', 'resync', user.username], input)).status).toBe(2)
    expect((await run(['otp', 'resync', user.username], '000000 000000')).status).toBe(1)
    expect((await run(['otp', 'resync', (await appliance.addUser()).username], '123456 123456')).status).toBe(1)
    await ask(['otp', 'enroll', user.username, '--hotp'])
    expect(await run(['otp', 'resync', user.username], '123456 123456')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('several'),
    })
  })
})

describe('strongroom otp import', () => {
  it('registers what a log holds, names each bad line, and goes on', async () => {
    const user = await appliance.addUser()
    // From this record on the trail tells of rows.
    expect(await logIn(user, user.hardwareToken.press())).toBe(200)
    const [one, two, three] = [new HardwareToken(), new HardwareToken(), new HardwareToken()]
    const file = secretFile(
      'configuration_log.csv',
      [
        'LOGGING START,11/21/26 6:34 AM',
        `Yubico OTP,11/21/26 6:34 AM,1,${one.publicId},${one.privateId},${one.key},,,0,0,0,0,0,0,0,0,0,0`,
        `1234567,${two.publicId},${two.privateId},${two.key.slice(2)},000000000000,2026-11-21T06:34:00,`,
        `1234568,${user.hardwareToken.publicId},${two.privateId},${two.key},000000000000,2026-11-21T06:34:00,`,
        `None,${three.publicId},${three.privateId},${three.key},,2026-11-21T06:34:00,`,
        '',
      ].join('\r\n'),
    )
    const { status, stdout } = await run(['--json', 'otp', 'import', file])
    expect(status).toBe(1)
    expect(JSON.parse(stdout).outcomes).toEqual([
      { line: 2, state: 'registered', device: `hardware token ${one.publicId}` },
      { line: 3, state: 'refused', why: expect.stringContaining('32 hexadecimal digits') },
      { line: 4, state: 'refused', why: expect.stringContaining('registered already') },
      { line: 5, state: 'registered', device: `hardware token ${three.publicId}` },
    ])
    for (const secret of [one.key, two.key.slice(2), three.key, one.privateId]) expect(stdout).not.toContain(secret)
    const listed = (await ask(['otp', 'list'])) as { id: number; publicId: string }[]
    const held = listed.filter(({ publicId }) => [one.publicId, three.publicId].includes(publicId))
    expect(held).toHaveLength(2)
    // A device without a holder is in the record of its import alone.
    const { database } = JSON.parse((await run(['--json', 'audit', 'verify', '--database'])).stdout)
    const unknown = database.findings.map(({ row }: { row: string }) => row)
    for (const { id } of held) expect(unknown).not.toContain(`device ${id}`)

    expect(await logIn(user, one.press())).toBe(403)
    await ask(['otp', 'assign', user.username, one.publicId])
    expect(await logIn(user, one.press())).toBe(200)
    const other = await appliance.addUser()
    expect(await run(['otp', 'assign', other.username, one.publicId])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(`is held by ${user.username} .*"strongroom otp remove ${user.username} \\d+"`),
    })
    expect((await run(['otp', 'assign', user.username, 'cccccccccccc'])).status).toBe(1)
  })

  it('gives the devices to the user who is named, HOTP tokens as well, from standard input', async () => {
    const user = await appliance.addUser()
    const token = new HardwareToken()
    const seed = Buffer.from('twenty bytes of HOTP')
    const lines = [
      `${token.publicId},${token.privateId},${token.key}`,
      `OATH-HOTP,11/21/26, 6:34 AM,2,,,${seed.toString('hex')},,,0,0,0,8,0,0,0,0,0,0`,
    ].join('\n')
    const alone = await run(['otp', 'import', '-'], lines.split('\n')[1])
    expect(alone).toMatchObject({ status: 1, stdout: expect.stringContaining('--user') })
    const { outcomes } = await ask(['otp', 'import', '-', '--user', user.username], lines)
    expect(outcomes).toHaveLength(2)
    expect(await logIn(user, token.press())).toBe(200)
    expect(await logIn(user, hotpCodes(base32nopad.encode(seed), 0, { digits: 8 })[0] ?? '')).toBe(200)
    expect((await run(['otp', 'import', '-', '--user', 'nobody-here'], lines)).status).toBe(1)
  })

  it('records each line as a change of its own, and refuses a file that others may read', async () => {
    const trail = readFileSync(join(appliance.config.audit.directory, 'console.000001.jsonl'), 'utf8')
    const outcomes = [...trail.matchAll(/"operation":"console\.otp\.import".*?"outcome":"([^"]+)"/g)].map(
      ([, is]) => is,
    )
    expect(outcomes).toEqual(expect.arrayContaining(['allowed', 'otp.device_exists']))
    const file = secretFile('log.csv', 'x')
    chmodSync(file, 0o644)
    expect((await run(['otp', 'import', file])).status).toBe(2)
  })
})

describe('strongroom doctor', () => {
  it('names the hardware tokens and the keys that near a limit', async () => {
    const limits = async () => (await ask(['doctor', '--only', 'limits'])).findings.slice(1)
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const [{ id: vault }] = (await client.must('POST', '/vault', { vaultname: 'Ledgers' }))['VAULT'] as [{ id: string }]
    await client.must('POST', `/transparent/${vault}/encrypt/busy`, { plaintext: 'AAAA' })
    user.hardwareToken.useCounter = 31_766
    expect(await logIn(user, user.hardwareToken.press())).toBe(200)
    expect(await limits()).toEqual([])

    user.hardwareToken.replug()
    expect(await logIn(user, user.hardwareToken.press())).toBe(200)
    const used = 0.75 * 2 ** 32
    await appliance.sql(`UPDATE key_versions SET invocations = ${used}`)
    expect(await limits()).toMatchObject([
      {
        state: 'warning',
        detail: `the hardware token ${user.hardwareToken.publicId} of ${user.username} can be plugged in 1000 times more`,
      },
      { state: 'warning', detail: `the key busy of vault ${vault} has used up 75 % of its encryptions` },
    ])
  })
})
