import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pkcs11, { type Template } from 'pkcs11js'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { wrappingTemplate } from '../../../src/hsm/pkcs11/public-keys.ts'
import { asSecurityOfficer, trustedTemplate } from '../../../src/hsm/pkcs11/security-officer.ts'
import { ceremonyOptions } from '../../support/ceremony.ts'
import { addUser, givenInitialised, givenPremises } from '../../support/console-kit.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { withPin } from '../../support/pin-session.ts'

const secret = (label: string): Template => [
  { type: pkcs11.CKA_TOKEN, value: true },
  { type: pkcs11.CKA_PRIVATE, value: true },
  { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  { type: pkcs11.CKA_LABEL, value: label },
  { type: pkcs11.CKA_ID, value: Buffer.alloc(16, 7) },
]

/** Details of the findings about one subject. */
function detailsOf(stdout: string, subject: string): string[] {
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; detail: string }[] }
  return findings.filter((one) => one.subject === subject).map(({ detail }) => detail)
}

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
      'strongroom.kek.backup.v1: can be copied and can be used by other mechanisms by anyone who has the PIN',
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

  it('finds objects that Strongroom did not make, and copies of vault keys where the token allows them', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const strange = async () => detailsOf((await premises.run(['--json', 'doctor'])).stdout, 'token')
    expect((await strange()).join('\n')).not.toMatch(/did not make|cop(y|ies) of/)
    withPin(premises.token, ({ lib, session }) => {
      lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, secret('mine'))
      // Keys as earlier releases made them.
      const key = lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, secret('strongroom.vault'))
      lib.C_CopyObject(session, key, [])
    })
    expect(await strange()).toEqual(
      expect.arrayContaining([
        '1 copy of keys in the token',
        '1 object in the token that Strongroom did not make: perhaps copies of keys',
      ]),
    )
  })

  it('names what lies under a KEK that the PIN can read, and rows whose KEK is gone', async () => {
    const premises = await givenPremises({ tokenHost: false })
    asOfRelease020(premises.token)
    await premises.ask(['init'])
    const rows = async () => detailsOf((await premises.run(['--json', 'doctor'])).stdout, 'root keys')
    expect(await rows()).toEqual([
      'nothing lies any longer under strongroom.kek.backup.v1, which lets keys out in readable form',
    ])
    // It could be a copy of the KEK: anyone with the PIN can make such objects in tokens that allow it.
    withPin(premises.token, ({ lib, session }) =>
      lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, secret('mine')),
    )
    const destroying = ['root-keys', 'rotate', 'kek.backup', '--destroy-unused', '--yes']
    expect(await premises.ask(destroying)).toMatchObject({
      destroyed: expect.arrayContaining(['strongroom.kek.backup.v1']),
      warnings: [expect.stringContaining('1 object that Strongroom did not make')],
    })
    expect(await rows()).toEqual([])
    await addUser(premises, 'alice')
    await premises.ask(['otp', 'enroll', 'alice', '--totp'])
    const database = new Database(premises.database)
    database.exec("UPDATE otp_devices SET kek = 'strict.v9'")
    database.close()
    expect(await rows()).toEqual(['1 row under KEKs that the token does not have'])
  })

  it('says whether the keeper answers, and whether its files last and lie where others may not write', async () => {
    const premises = await givenInitialised()
    const seen = async () => detailsOf((await premises.run(['--json', 'doctor'])).stdout, 'keeper')
    const state = join(premises.directory, 'data/keeper.sqlite')
    expect((await seen()).join('\n')).not.toContain('none answers')
    const inMemory = spawnSync('stat', ['-f', '-c', '%T', state], { encoding: 'utf8' }).stdout.trim() === 'tmpfs'
    expect((await seen()).some((detail) => detail.includes(`${state} lies in memory`))).toBe(inMemory)
    chmodSync(dirname(state), 0o777)
    const { stdout } = await premises.run(['--json', 'doctor'])
    expect(detailsOf(stdout, 'permissions').join('\n')).toContain(`${dirname(state)} (hsm.keeper.state) may be written`)
    chmodSync(dirname(state), 0o700)
    // In one step: where the file of a socket is missing, the keeper is started anew.
    const unanswered = join(premises.directory, 'unanswered')
    writeFileSync(unanswered, '')
    renameSync(unanswered, join(premises.directory, 'run/operator.sock'))
    expect((await seen()).join('\n')).toContain('the socket for the strongroom command')
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
