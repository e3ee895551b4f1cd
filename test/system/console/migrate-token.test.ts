import { spawn } from 'node:child_process'
import { copyFileSync, lchownSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pkcs11 from 'pkcs11js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RootVersion } from '../../../src/console/root-keys/root-versions.ts'
import { oaep } from '../../../src/hsm/pkcs11/mechanisms.ts'
import { p256 } from '../../../src/hsm/pkcs11/pair-kinds.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { givenInitialised, recorded, strongroom } from '../../support/console-kit.ts'
import { besides, fillAppliance, type FullAppliance, goesOn, serves } from '../../support/full-appliance.ts'
import { withPin } from '../../support/pin-session.ts'
import { makeEmptyToken, makeMovable, makeOtherToken, type TestToken } from '../../support/token.ts'
import { makeVault } from '../../support/vault.ts'

const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')
/** Enough keys that the ceremony can be killed while it moves them. */
const manyVaults = 40

describe('strongroom migrate token', () => {
  let appliance: TestAppliance
  let full: FullAppliance
  let other: TestToken
  let newFile: string
  let oldFile: string

  beforeAll(async () => {
    appliance = await TestAppliance.own({ hsm: { movable: true } }, { prepare: makeMovable })
    full = await fillAppliance(appliance)
    for (let number = 0; number < manyVaults; number++) await makeVault(appliance, `Vault ${number}`, full.vault.admin)
    other = makeEmptyToken()
    newFile = configurationFor(other, 'new.json')
    oldFile = besides(appliance, 'old.json')
    writeFileSync(oldFile, readFileSync(appliance.configFile))
    await appliance.stop()
  }, 120_000)
  afterAll(async () => {
    await appliance.close()
    other.cleanup()
  })

  function configurationFor(token: TestToken, name: string, hsm: object = {}): string {
    const config = JSON.parse(readFileSync(appliance.configFile, 'utf8'))
    const { keeper } = appliance.config.hsm
    const state = keeper?.state ?? join(appliance.token.directory, 'keeper.sqlite')
    const sockets = { socket: besides(appliance, 'new-keeper'), operatorSocket: besides(appliance, 'new-operator') }
    const ofToken = {
      token: token.tokenUri,
      pinFile: token.pinFile,
      softhsmConf: token.softhsmConf,
      tokenDirectory: token.tokenDirectory,
      keeper: keeper ?? { ...sockets, state },
    }
    const file = besides(appliance, name)
    writeFileSync(file, JSON.stringify({ ...config, hsm: { ...config.hsm, movable: false, ...ofToken, ...hsm } }))
    return file
  }
  const args = (to: string, token: TestToken, ...more: string[]) => {
    const officers = ['--so-pin-file', appliance.token.soPinFile, '--to-so-pin-file', token.soPinFile]
    return ['migrate', 'token', '--to', to, ...officers, ...more]
  }
  const run = (to: string, token: TestToken, ...more: string[]) =>
    strongroom(appliance.configFile, args(to, token, ...more))
  const labelsIn = (token: TestToken) => withPin(token, ({ objects }) => objects.map(({ label }) => label).toSorted())
  const objectsOnDisk = (token: TestToken) =>
    readdirSync(token.tokenDirectory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.object'))
      .length

  it('lists what stays, with what its owners can do, and moves nothing', async () => {
    const { status, stdout } = await run(newFile, other)
    expect(status).toBe(1)
    expect(stdout).toMatch(/^Nothing was moved/)
    expect(stdout).toContain('strongroom transparent rewrap-plan')
    expect(stdout).toMatch(
      /^ {2}\d+ +stays +aes256-gcm96 +2 +1 to 2 +residency "token" +make another, encrypt again, delete$/m,
    )
    expect(labelsIn(other)).toEqual([])
  })

  it('lets no key out to who holds the PIN alone', () => {
    withPin(appliance.token, ({ lib, session, objects, attempt }) => {
      const pair = lib.C_GenerateKeyPair(
        session,
        { mechanism: pkcs11.CKM_RSA_PKCS_KEY_PAIR_GEN },
        [
          { type: pkcs11.CKA_MODULUS_BITS, value: 2048 },
          { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
          { type: pkcs11.CKA_WRAP, value: true },
        ],
        [{ type: pkcs11.CKA_UNWRAP, value: true }],
      )
      expect(
        attempt((fresh) => lib.C_SetAttributeValue(fresh, pair.publicKey, [{ type: pkcs11.CKA_TRUSTED, value: true }])),
      ).toBeUndefined()
      const keys = objects.filter(({ objectClass }) => objectClass === pkcs11.CKO_SECRET_KEY)
      const out = keys.filter(({ handle }) =>
        attempt((fresh) => lib.C_WrapKey(fresh, oaep, pair.publicKey, handle, Buffer.alloc(4096))),
      )
      expect(keys.length).toBeGreaterThan(manyVaults)
      expect(out).toEqual([])
    })
  })

  it('needs both SO PINs, and leaves nothing behind where one is refused', async () => {
    const wrong = besides(appliance, 'wrong-so-pin')
    writeFileSync(wrong, 'not the PIN of the SO', { mode: 0o600 })
    const before = labelsIn(appliance.token)
    for (const [from, to] of [
      [wrong, other.soPinFile],
      [appliance.token.soPinFile, wrong],
    ] as const) {
      const command = [
        'migrate',
        'token',
        '--to',
        newFile,
        '--leave-behind',
        '--so-pin-file',
        from,
        '--to-so-pin-file',
        to,
      ]
      expect(await strongroom(appliance.configFile, command)).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('refuses this SO PIN'),
      })
      expect(labelsIn(other)).toEqual([])
      expect(labelsIn(appliance.token)).toEqual(before)
    }
  })

  it('refuses a token that has keys, and leaves them there', async () => {
    const taken = makeOtherToken()
    onTestFinished(() => taken.cleanup())
    const before = labelsIn(taken)
    expect(await run(configurationFor(taken, 'taken.json'), taken, '--leave-behind')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('take a token without keys'),
    })
    expect(labelsIn(taken)).toEqual(before)
  })

  it('is killed in the middle, and goes on when it is run again', async () => {
    const command = [entry, '--config', appliance.configFile, ...args(newFile, other, '--leave-behind')]
    const moving = spawn(process.execPath, command, { stdio: 'ignore' })
    const ended = new Promise((done) => moving.once('exit', done))
    while (objectsOnDisk(other) < 15 && moving.exitCode === null) await delay(2)
    moving.kill('SIGKILL')
    await ended
    // No person knows the present PIN of the token.
    expect(() => labelsIn(other)).toThrow('CKR_PIN_INCORRECT')

    const { status, stdout, stderr } = await run(newFile, other, '--leave-behind')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const [, total, present] = /^moved +(\d+) keys, (\d+) of them by an earlier run/m.exec(stdout) ?? []
    expect(Number(total)).toBeGreaterThan(manyVaults)
    expect(Number(present)).toBeGreaterThan(0)
    expect(Number(present)).toBeLessThan(Number(total))
    const moved = labelsIn(appliance.token).filter((label) => !/resident|audit/.test(label))
    expect(labelsIn(other).filter((label) => !label.includes('audit'))).toEqual(moved)
    expect(recorded({ auditDirectory: appliance.config.audit.directory }).at(-1)).toEqual([
      'console.migrate.token',
      'allowed',
      other.tokenUri,
    ])
  })

  it('leaves no key of the ceremony on either side, and locks what has arrived', () => {
    for (const token of [appliance.token, other])
      expect(labelsIn(token).filter((label) => label.includes('ceremony'))).toEqual([])
    const leaving = withPin(other, ({ objects, lib, session }) =>
      objects
        .filter(({ objectClass }) => objectClass === pkcs11.CKO_SECRET_KEY)
        .filter(({ handle }) => {
          const [value] = lib.C_GetAttributeValue(session, handle, [{ type: pkcs11.CKA_EXTRACTABLE }])
          return Buffer.from(value?.value ?? []).readUInt8() === 1
        })
        .map(({ label }) => label.replace(/\.v\d+$/, '')),
    )
    expect(leaving.toSorted()).toEqual([
      'strongroom.backup-seal',
      'strongroom.kek.backup',
      'strongroom.kek.backup-exportable',
    ])
  })

  it('says the same when it is run once more, for the token of before serves no more', async () => {
    // A run that is killed at its end may have left root's files in the folder of the user of the token hosts.
    const owner = process.getuid?.() === 0 ? 65_534 : Number(process.getuid?.())
    lchownSync(other.tokenDirectory, owner, owner)
    expect(await run(newFile, other, '--leave-behind')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('all keys, before'),
    })
    const files = readdirSync(other.tokenDirectory, { recursive: true, encoding: 'utf8' })
    expect(new Set(files.map((name) => statSync(join(other.tokenDirectory, name)).uid))).toEqual(new Set([owner]))
  })

  it('does everything with the other token, while the one of before is gone', async () => {
    writeFileSync(appliance.configFile, readFileSync(newFile))
    renameSync(appliance.token.tokenDirectory, `${appliance.token.tokenDirectory}-gone`)
    await appliance.restart()
    await serves(full, ['stays'])
    await goesOn(appliance, full, ['stays'])
    renameSync(`${appliance.token.tokenDirectory}-gone`, appliance.token.tokenDirectory)
  })

  it('signs the trail by the audit key that it made, and not by a later one of an attacker who had the PIN', async () => {
    const label = 'strongroom.audit.v9'
    const common = [
      { type: pkcs11.CKA_TOKEN, value: true },
      { type: pkcs11.CKA_LABEL, value: label },
      { type: pkcs11.CKA_ID, value: Buffer.from(label) },
    ]
    withPin(other, ({ lib, session }) =>
      lib.C_GenerateKeyPair(
        session,
        { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN },
        [...common, { type: pkcs11.CKA_EC_PARAMS, value: p256 }, { type: pkcs11.CKA_VERIFY, value: true }],
        [...common, { type: pkcs11.CKA_SENSITIVE, value: false }, { type: pkcs11.CKA_SIGN, value: true }],
      ),
    )
    await appliance.restart()
    const { stdout } = await strongroom(appliance.configFile, ['--json', 'root-keys', 'list'])
    const versions: RootVersion[] = JSON.parse(stdout)
    expect(versions.filter(({ role, newest }) => role === 'audit' && newest)).toMatchObject([{ version: 2 }])
    withPin(other, ({ lib, session, objects }) => {
      for (const one of objects) if (one.label === label) lib.C_DestroyObject(session, one.handle)
    })
    await appliance.restart()
  })

  it('destroys nothing in the token in use by another name of it, nor in one that has other keys', async () => {
    const copied = besides(appliance, 'copied-softhsm2.conf')
    copyFileSync(other.softhsmConf, copied)
    const foreign = makeOtherToken()
    onTestFinished(() => foreign.cleanup())
    for (const [token, hsm, sentence] of [
      [other, { softhsmConf: copied }, /that token is in use, nothing was destroyed/],
      [foreign, {}, /different keys by the name of strongroom\./],
    ] as const) {
      const before = labelsIn(token)
      const finish = ['migrate', 'token', '--finish', '--from', configurationFor(token, 'wrong.json', hsm)]
      expect(await strongroom(appliance.configFile, [...finish, '--leave-behind', '--yes'])).toMatchObject({
        status: 3,
        stderr: expect.stringMatching(sentence),
      })
      expect(labelsIn(token)).toEqual(before)
    }
  })

  it('destroys the keys of before at the end, when nothing that is needed is there alone', async () => {
    const finish = ['migrate', 'token', '--finish', '--from', oldFile]
    expect(await strongroom(appliance.configFile, finish)).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/stays +aes256-gcm96 +\d +1 to \d/),
    })
    expect(await strongroom(appliance.configFile, [...finish, '--leave-behind'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await strongroom(appliance.configFile, [...finish, '--leave-behind', '--yes'])).toMatchObject({ status: 0 })
    expect(labelsIn(appliance.token)).toEqual([])
    await appliance.restart()
    await serves(full, ['stays'])
  })
})

it('a token whose keys are locked is not moved: the command says how they come to have successors', async () => {
  const premises = await givenInitialised({ tokenHost: false })
  const config = JSON.parse(readFileSync(premises.configFile, 'utf8'))
  const file = join(premises.directory, 'new.json')
  writeFileSync(file, JSON.stringify({ ...config, hsm: { ...config.hsm, token: 'pkcs11:token=other' } }))
  expect(await premises.run(['migrate', 'token', '--to', file])).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/strongroom\.seal\.v1 is locked.*hsm\.movable/),
  })
})
