import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RootVersion } from '../../../src/console/root-keys/root-versions.ts'
import { givenPremises, recorded, type Premises } from '../../support/console-kit.ts'

const initToken = resolve(import.meta.dirname, '../../../softhsm/init-token')

interface Appliance extends Premises {
  readonly soPinFile: string
}

/** With a separate token, because the usual ones are copies with equal keys. */
async function givenAppliance(): Promise<Appliance> {
  const premises = await givenPremises({ tokenHost: false })
  const args = ['--directory', join(premises.directory, 'own'), '--label', 'own', '--json']
  const own = JSON.parse(execFileSync(initToken, args, { encoding: 'utf8' }))
  const { uri: token, pinFile, softhsmConf, tokenDirectory, soPin } = own
  premises.configure({ hsm: { token, pinFile, softhsmConf, tokenDirectory } })
  await premises.ask(['init'])
  mkdirSync(join(premises.directory, 'elsewhere'))
  const soPinFile = join(premises.directory, 'elsewhere/so')
  writeFileSync(soPinFile, soPin, { mode: 0o600 })
  return { ...premises, soPinFile }
}

const command = ({ soPinFile }: Appliance, ...args: string[]) => ['backup-keys', ...args, '--so-pin-file', soPinFile]

describe('strongroom backup-keys', () => {
  it('leads two appliances through a ceremony, and records it', async () => {
    const [one, other] = [await givenAppliance(), await givenAppliance()]
    const [request, parcel] = [join(one.directory, 'request'), join(one.directory, 'package')]
    const invited = await other.ask(command(other, 'invite', '--out', request))
    expect(invited.digest).toMatch(/^([0-9a-f]{4} ){7}[0-9a-f]{4}$/)
    const wrong = `0000 ${String(invited.digest).slice(5)}`
    const misheard = await one.run(command(one, 'share', request, '--out', parcel, '--digest', wrong))
    expect([misheard.status, misheard.stderr]).toEqual([3, expect.stringContaining('not those of this file')])

    const shared = await one.ask(command(one, 'share', request, '--out', parcel, '--digest', invited.digest))
    const refused = await other.run(command(other, 'adopt', parcel, '--digest', invited.digest))
    expect(refused.stderr).toContain('not those of this file')
    const adopted = await other.ask(command(other, 'adopt', parcel, '--digest', shared.digest))
    expect(adopted).toEqual({ versions: shared.versions, digest: shared.digest })
    expect((await other.ask(['token', 'status'])).hosts).toMatchObject([{ state: 'ready' }])
    const inUse = async ({ ask }: Appliance) => {
      const versions: RootVersion[] = await ask(['root-keys', 'list'])
      return versions.filter(({ role, newest }) => role === 'kek.backup' && newest)
    }
    for (const appliance of [one, other])
      expect(await inUse(appliance)).toMatchObject([{ version: shared.versions.at(-1) }])
    expect(recorded(one)).toContainEqual(['console.backup-keys.share', 'allowed', 'request'])
    expect(recorded(other)).toContainEqual(['console.backup-keys.invite', 'allowed', 'request'])
    expect(recorded(other)).toContainEqual(['console.backup-keys.adopt', 'allowed', 'package'])
  })

  it('uses what it has adopted, also where the call was interrupted before its record or before its end', async () => {
    const [one, other] = [await givenAppliance(), await givenAppliance()]
    const [request, parcel] = [join(one.directory, 'request'), join(one.directory, 'package')]
    const invited = await other.ask(command(other, 'invite', '--out', request))
    const shared = await one.ask(command(one, 'share', request, '--out', parcel, '--digest', invited.digest))
    const adopt = command(other, 'adopt', parcel, '--digest', shared.digest)
    const without = async (file: string) => {
      renameSync(file, `${file}.aside`)
      mkdirSync(file)
      const { status } = await other.run(adopt)
      rmdirSync(file)
      renameSync(`${file}.aside`, file)
      return status
    }
    // The keeper cannot note the keys: the ceremony stays open.
    expect(await without(join(other.directory, 'data/floors.sqlite'))).not.toBe(0)
    // There is nothing to write the record to: the ceremony is over.
    expect(await without(other.database)).not.toBe(0)
    const versions: RootVersion[] = await other.ask(['root-keys', 'list'])
    const newest = versions.filter(({ role, newest: isNewest }) => role === 'kek.backup' && isNewest)
    expect(newest).toMatchObject([{ version: shared.versions.at(-1), lacks: [] }])
  })

  it('gives the token its PIN back when a ceremony is abandoned', async () => {
    const one = await givenAppliance()
    await one.ask(command(one, 'invite', '--out', join(one.directory, 'request')))
    expect((await one.run(['token', 'status'])).stderr).toContain('refused the PIN')
    expect(await one.ask(command(one, 'adopt', '--abandon'))).toEqual({ abandoned: true })
    expect((await one.ask(['token', 'status'])).hosts).toMatchObject([{ state: 'ready' }])
  })

  it('refuses what release 0.2.0 wrote, what is nothing of the kind, and a wrong SO PIN, with a sentence', async () => {
    const one = await givenAppliance()
    const file = join(one.directory, 'file')
    const said = async (content: string, ...args: string[]) => {
      writeFileSync(file, content)
      return (await one.run(command(one, ...args))).stderr
    }
    const share = ['share', file, '--out', join(one.directory, 'out'), '--digest', '00']
    expect(await said('{"format":"strongroom-backup-keys-1"}', 'adopt', file, '--digest', '00')).toContain(
      'can be forged',
    )
    expect(await said('garbage', 'adopt', file, '--digest', '00')).toContain('not a package of backup keys')
    expect(await said('garbage', ...share)).toContain('not a request of')
    expect(await said('-----BEGIN PUBLIC KEY-----', ...share)).toContain('backup-keys invite')
    writeFileSync(one.soPinFile, 'wrong-so-pin')
    const { stderr } = await one.run(command(one, 'invite', '--out', file))
    expect(stderr).toContain('refuses this SO PIN')
    expect(readFileSync(file, 'utf8')).toBe('-----BEGIN PUBLIC KEY-----')
  })
})
