import { describe, expect, it } from 'vitest'
import { readLogLine, type LogLine } from '../../../src/features/otp/device-log.ts'

const publicId = 'vvccccdddfgh'
const privateId = '0a1b2c3d4e5f'
const secret = '00112233445566778899aabbccddeeff'
const seed = '3132333435363738393031323334353637383930'
const token: LogLine = {
  kind: 'hwkey_otp',
  publicId,
  privateId: Buffer.from(privateId, 'hex'),
  secret: Buffer.from(secret, 'hex'),
}
const hotp = (counter: number, digits: number): LogLine => ({
  kind: 'hotp',
  seed: Buffer.from(seed, 'hex'),
  counter,
  digits,
})

describe('a line of a log of devices', () => {
  const lines: readonly (readonly [string, string, LogLine])[] = [
    ['the three fields', `${publicId},${privateId},${secret}`, token],
    ['blanks and capitals', ` ${publicId} , ${privateId.toUpperCase()} ,${secret.toUpperCase()} `, token],
    [
      'personalisation tool, traditional format',
      `Yubico OTP,11/21/26 6:34 AM,1,${publicId},${privateId},${secret},,,0,0,0,0,0,0,0,0,0,0`,
      token,
    ],
    [
      'the same with a comma in its date',
      `Yubico OTP,11/21/26, 6:34 AM,2,${publicId},${privateId},${secret},000000000000,,0,0,0,0,0,0,0,0,0,0`,
      token,
    ],
    [
      'personalisation tool, Yubico format',
      `1234567,${publicId},${privateId},${secret},000000000000,2026-11-21T06:34:00,`,
      token,
    ],
    ['ykman', `None,${publicId},${privateId},${secret},,2026-11-21T06:34:00,`, token],
    [
      'OATH-HOTP with 8 digits, traditional format',
      `OATH-HOTP,11/21/26, 6:34 AM,2,,,${seed},,,0,0,0,8,5,0,0,0,0,0`,
      hotp(5, 8),
    ],
    ['OATH-HOTP, Yubico format', `1234567,ubnu12345678,3,${seed},000000000000,2026-11-21T06:34:00,`, hotp(3, 6)],
    ['the start of a log', 'LOGGING START,11/21/26 6:34 AM', { kind: 'nothing' }],
    ['another use of a device', `Challenge-Response: HMAC-SHA1,11/21/26 6:34 AM,2,,,${seed},,,0`, { kind: 'nothing' }],
    ['a remark', '# from the box of May', { kind: 'nothing' }],
    ['nothing', '  ', { kind: 'nothing' }],
    [
      'OATH-HOTP with a name, traditional format',
      `OATH-HOTP,11.12.13 18:55,1,cccccccccccc,,${seed},,,0,0,0,6,0,0,0,0,0,0`,
      hotp(0, 6),
    ],
    [
      'a key server, with a remark',
      `1234567,${publicId},${privateId},${secret},000000000000,2026-11-21T06:34:00,, # May`,
      token,
    ],
  ]
  it.each(lines)('%s', (_what, line, expected) => {
    expect(readLogLine(line)).toEqual(expected)
  })

  const unusable: readonly (readonly [string, string])[] = [
    ['words', 'no device at all'],
    ['a public id of another length', `vvcccc,${privateId},${secret}`],
    ['a public id in capitals', `${publicId.toUpperCase()},${privateId},${secret}`],
    ['a private id that is cut off', `${publicId},${privateId.slice(1)},${secret}`],
    ['a key that is cut off', `${publicId},${privateId},${secret.slice(1)}`],
    ['a key with another letter', `${publicId},${privateId},${secret.slice(1)}x`],
    ['fields in another order', `${privateId},${publicId},${secret}`],
    ['no key', `${publicId},${privateId}`],
    ['a challenge-response key, Yubico format', `1234567,,0,${seed},000000000000,2026-11-21T06:34:00,`],
    ['a static password, Yubico format', `1234567,,,${secret},000000000000,2026-11-21T06:34:00,`],
    ['an OATH-HOTP line without seed', 'OATH-HOTP,11/21/26 6:34 AM,2,,,,,,0,0,0,8,5,0,0,0,0,0'],
  ]
  it.each(unusable)('%s: says why, and repeats no secret', (_what, line) => {
    const read = readLogLine(line)
    expect(read).toEqual({ kind: 'unusable', why: expect.stringMatching(/.{20,}/) })
    expect(JSON.stringify(read)).not.toMatch(/0011|0a1b/i)
  })
})
