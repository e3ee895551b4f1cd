import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wrappingTemplate } from '../../../src/hsm/pkcs11/public-keys.ts'
import { asSecurityOfficer, trustedTemplate } from '../../../src/hsm/pkcs11/security-officer.ts'
import { ceremonyOptions } from '../../support/ceremony.ts'
import { givenInitialised } from '../../support/console-kit.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'

describe('strongroom doctor', () => {
  it('names the root objects of an earlier release, and what they allow', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const warnings = async () => {
      const { stdout } = await premises.run(['--json', 'doctor'])
      const { findings } = JSON.parse(stdout) as { findings: { state: string; detail: string }[] }
      return findings.filter(({ state, detail }) => state === 'warning' && detail.startsWith('strongroom.'))
    }
    expect(await warnings()).toEqual([])
    asOfRelease020(premises.token)
    const found = (await warnings()).map(({ detail }) => detail)
    expect(found).toHaveLength(7)
    expect(found).toContain(
      'strongroom.kek.backup.v1: can be copied and can be used by other mechanisms by whoever holds the PIN',
    )
  })

  it('finds a trusted key that a ceremony left behind', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const wrapping = wrappingTemplate(publicKey.export({ type: 'spki', format: 'der' }))
    const options = ceremonyOptions(premises.token)
    asSecurityOfficer(options, options.soPin, (so) => so.create(trustedTemplate(wrapping, Buffer.from('left'))))
    const { stdout, status } = await premises.run(['--json', 'doctor'])
    expect(status).toBe(1)
    expect(stdout).toContain('1 trusted key of a ceremony in the token: lets backup keys out')
    const ending = ['backup-keys', 'adopt', '--abandon', '--so-pin-file', premises.token.soPinFile]
    await premises.ask(ending)
    expect((await premises.run(['--json', 'doctor'])).stdout).not.toContain('trusted key')
  })

  it('calls a file of the SO PIN a problem', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const left = join(premises.token.directory, 'so-pin')
    writeFileSync(left, 'anything', { mode: 0o400 })
    const { stdout } = await premises.run(['--json', 'doctor'])
    const { findings } = JSON.parse(stdout) as { findings: { state: string; detail: string }[] }
    expect(findings).toContainEqual(
      expect.objectContaining({ state: 'problem', detail: expect.stringContaining(`${left} holds the PIN`) }),
    )
  })
})
