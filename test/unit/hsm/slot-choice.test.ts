import { describe, expect, it } from 'vitest'
import { parseTokenUri } from '../../../src/hsm/pkcs11/slot-choice.ts'

describe('a token URI (RFC 7512)', () => {
  for (const [uri, selector] of [
    ['pkcs11:token=strongroom', { token: 'strongroom' }],
    ['pkcs11:serial=0123', { serial: '0123' }],
    [
      'pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;serial=a%3Bb',
      { token: 'The Software PKCS#11 Softtoken', serial: 'a;b' },
    ],
    [
      'pkcs11:model=p15-card;manufacturer=Snake%20Oil,%20Inc.;token=x?pin-source=file:/etc/token',
      { model: 'p15-card', manufacturer: 'Snake Oil, Inc.', token: 'x' },
    ],
  ] as const) {
    it(`is read: ${uri}`, () => expect(parseTokenUri(uri)).toEqual(selector))
  }

  for (const uri of [
    '',
    'token=x',
    'pkcs11:',
    'pkcs11:slot-id=0',
    'pkcs11:token',
    'pkcs11:token=x;token=y',
    'pkcs11:token=%zz',
    'pkcs11:model=x',
    'pkcs11:token=x;object=y',
  ]) {
    it(`is refused, with the name of the setting: ${uri}`, () => {
      expect(() => parseTokenUri(uri)).toThrow(
        expect.objectContaining({ code: 'hsm.unavailable', detail: expect.stringContaining('hsm.token') }),
      )
    })
  }
})
