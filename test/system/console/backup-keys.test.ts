import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { givenPremises, recorded, type Premises } from '../../support/console-kit.ts'

const initToken = resolve(import.meta.dirname, '../../../softhsm/init-token')

/** With a token of its own: those that tests are given are copies of one, and so are their transport keys. */
async function givenAppliance(): Promise<Premises> {
  const premises = await givenPremises({ tokenHost: false })
  const args = ['--directory', join(premises.directory, 'own'), '--label', 'own', '--json']
  const own = JSON.parse(execFileSync(initToken, args, { encoding: 'utf8' }))
  const { uri: token, pinFile, softhsmConf, tokenDirectory } = own
  premises.configure({ hsm: { token, pinFile, softhsmConf, tokenDirectory } })
  await premises.ask(['init'])
  return premises
}

/** The transport public key of an appliance, in a file that the other one can read. */
async function transportKeyOf(premises: Premises, at: Premises): Promise<string> {
  const { status, stdout } = await premises.run(['token', 'transport-key'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
  const file = join(at.directory, 'other.pem')
  writeFileSync(file, stdout)
  return file
}

describe('strongroom backup-keys', () => {
  it('shares new backup keys with another appliance, under one check value, and records it', async () => {
    const [one, other] = [await givenAppliance(), await givenAppliance()]
    const out = join(one.directory, 'packages')
    mkdirSync(out)
    const shared = await one.ask(['backup-keys', 'share', '--for', await transportKeyOf(other, one), '--out', out])
    expect(shared).toMatchObject({ version: 2, check: expect.stringMatching(/^[0-9a-f]{16}$/) })
    const adopted = await other.ask(['backup-keys', 'adopt', shared.packages[0]])
    expect(adopted).toEqual({ version: 2, check: shared.check })
    expect(await other.ask(['backup-keys', 'adopt', shared.packages[0]])).toEqual(adopted)
    expect(recorded(one)).toContainEqual(['console.backup-keys.share', 'allowed', 'other.pem'])
    expect(recorded(other)).toContainEqual(['console.backup-keys.adopt', 'allowed', 'other.pem.package'])
  })

  it('refuses a package for another token, and what is no package', async () => {
    const [one, other, third] = [await givenAppliance(), await givenAppliance(), await givenAppliance()]
    const [place = ''] = (
      await one.ask(['backup-keys', 'share', '--for', await transportKeyOf(other, one), '--out', one.directory])
    ).packages
    expect((await third.run(['backup-keys', 'adopt', place])).status).not.toBe(0)
    const garbage = join(one.directory, 'garbage')
    writeFileSync(garbage, 'garbage')
    expect((await other.run(['backup-keys', 'adopt', garbage])).stderr).toMatch(/no package of backup keys/)
    expect((await other.ask(['backup-keys', 'adopt', place])).version).toBe(2)
  })

  it('refuses a file that is no public key, before anything is made', async () => {
    const one = await givenAppliance()
    // One that has no end among them.
    for (const file of [one.configFile, '/dev/zero']) {
      const { status, stderr } = await one.run(['backup-keys', 'share', '--for', file, '--out', one.directory])
      expect(status).toBe(1)
      expect(stderr).toMatch(/is no public key: make it with/)
    }
  })
})
