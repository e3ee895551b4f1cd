import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { givenInitialised, strongroom, type Outcome, type Premises } from '../../support/console-kit.ts'
import { makePair } from '../../support/assertion-kit.ts'
import { sealedRecord } from '../../support/grant-kit.ts'
import { madeVaultKey } from '../../support/token-objects.ts'

interface Finding {
  readonly subject: string
  readonly state: string
  readonly detail: string
  readonly remedy?: string
}

function findings({ stdout }: Outcome): Finding[] {
  return JSON.parse(stdout).findings
}

/** Tests run the daemon and its token hosts as one user, like a trial. `attacks/worker-user.test.ts` does not. */
const ofEveryTrial = { subject: 'separation', detail: expect.stringContaining('can read the PIN') }

/**
 * The problems that `doctor` finds under these changes, where otherwise only a running daemon and separate users are
 * missing.
 */
async function problems(premises: Premises): Promise<Finding[]> {
  const outcome = await premises.run(['--json', 'doctor'])
  expect(outcome.status).toBe(1)
  return findings(outcome).filter(
    ({ state, subject }) => state === 'problem' && !['daemon', 'token hosts', 'separation'].includes(subject),
  )
}

/** Writes the configuration with the folder of the token, and with `more` settings of `hsm`. */
function namingFolder({ directory, configFile, token }: TestAppliance, more: object = {}): string {
  const { hsm, ...others } = JSON.parse(readFileSync(configFile, 'utf8'))
  const file = join(directory, 'other.json')
  writeFileSync(file, JSON.stringify({ ...others, hsm: { ...hsm, tokenDirectory: token.tokenDirectory, ...more } }))
  return file
}

describe('strongroom doctor, with a running appliance', () => {
  let appliance: TestAppliance | undefined
  afterEach(async () => {
    await appliance?.close()
    appliance = undefined
  })

  it('finds that all is well, and after a stop that nobody answers', async () => {
    const running = await TestAppliance.own(twoWorkers)
    appliance = running
    const named = namingFolder(running)
    const well = await strongroom(named, ['--json', 'doctor'])
    expect(findings(well).filter(({ state }) => state === 'problem')).toMatchObject([ofEveryTrial])

    // It is the file that is wrong: the daemon answers.
    const [certificate, configFile] = ['garbled.pem', 'garbled.json'].map((name) => join(running.directory, name)) as [
      string,
      string,
    ]
    const written = JSON.parse(readFileSync(running.configFile, 'utf8'))
    writeFileSync(certificate, 'nothing\n')
    writeFileSync(configFile, JSON.stringify({ ...written, tls: { ...written.tls, certificate } }))
    const garbled = findings(await strongroom(configFile, ['--json', 'doctor', '--only', 'daemon']))
    expect(garbled.at(-1)).toMatchObject({
      subject: 'daemon',
      state: 'warning',
      detail: expect.stringContaining('another certificate'),
    })

    await appliance.stop()
    const stopped = await strongroom(named, ['--json', 'doctor'])
    const bad = findings(stopped).filter(({ state }) => state === 'problem')
    expect(stopped.status).toBe(1)
    expect(bad.map(({ subject }) => subject)).toEqual(['separation', 'token hosts', 'token hosts', 'daemon'])
    for (const { remedy } of bad.slice(1)) expect(remedy).toMatch(/[Ss]tart/)
  })

  it('finds that no RSA key can be made, and so does token status', async () => {
    appliance = await TestAppliance.own()
    const configFile = namingFolder(appliance, { keyMakerSocket: join(appliance.directory, 'nowhere.sock') })
    const seen = await strongroom(configFile, ['--json', 'doctor'])
    expect(findings(seen).filter(({ state }) => state === 'problem')).toMatchObject([
      ofEveryTrial,
      { subject: 'token hosts', detail: expect.stringContaining('no RSA key can be made') },
    ])
    const { status, stdout } = await strongroom(configFile, ['--json', 'token', 'status'])
    expect(status).toBe(3)
    expect(JSON.parse(stdout).hosts).toMatchObject([{ state: 'ready' }, { isKeyMaker: true, state: 'down' }])
  })

  it('finds a vault whose key is gone from the token, and a key without a vault', async () => {
    appliance = await TestAppliance.own()
    const client = await appliance.login()
    await client.must('POST', '/vault', { vaultname: 'Ledgers', policy: '7' })
    const [vault] = await appliance.store.query<{ key_id: string }>('SELECT key_id FROM vaults', [])
    const gone = { kek: 'vault', blob: Buffer.from(vault?.key_id ?? '', 'hex') }
    const unused = sealedRecord(appliance.token, 'unused key', gone)
    await appliance.hsm.destroyObject(unused, unused)
    const { id: stray } = await madeVaultKey(appliance)
    const seen = findings(await strongroom(appliance.configFile, ['--json', 'doctor']))
    expect(seen.filter(({ subject }) => subject === 'vault keys')).toMatchObject([
      { state: 'problem', detail: expect.stringContaining('Ledgers') },
      { state: 'warning', detail: expect.stringContaining(stray) },
    ])
  })
})

describe('strongroom doctor', () => {
  it('finds secrets and folders that others may touch', async () => {
    const premises = await givenInitialised()
    expect(await problems(premises)).toEqual([])
    chmodSync(premises.token.pinFile, 0o644)
    chmodSync(premises.auditDirectory, 0o777)
    expect((await problems(premises)).filter(({ subject }) => subject === 'permissions')).toMatchObject([
      { detail: expect.stringContaining(`chmod 0600 ${premises.token.pinFile}`) },
      { detail: expect.stringContaining('audit.directory'), remedy: `chmod go-w ${premises.auditDirectory}` },
    ])
  })

  it('finds that a copy of the token folder has a configuration that names the original', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const copy = join(premises.directory, 'copied')
    execFileSync('cp', ['-a', premises.token.directory, copy])
    const [softhsmConf, tokenDirectory] = [join(copy, 'softhsm2.conf'), join(copy, 'tokens')]
    premises.configure({ hsm: { softhsmConf, tokenDirectory, pinFile: join(copy, 'pin') } })
    const seen = (await problems(premises)).filter(({ subject }) => subject === 'SoftHSM2')
    expect(seen).toMatchObject([
      {
        detail: expect.stringContaining(`has SoftHSM2 use the tokens in ${premises.token.tokenDirectory}`),
        remedy: expect.stringContaining(`directories.tokendir = ${tokenDirectory}`),
      },
    ])
    writeFileSync(softhsmConf, `objectstore.backend = file\ndirectories.tokendir = ${tokenDirectory}\n`)
    expect(await problems(premises)).toEqual([])
  })

  it('finds that the folder of the token is not named, so that no copy of its file is kept', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const { tokenDirectory, softhsmConf } = premises.token
    const seen = async (hsm: Readonly<Record<string, unknown>>) => {
      premises.configure({ hsm: { tokenDirectory: undefined, ...hsm } })
      const found = findings(await premises.run(['--json', 'doctor', '--only', 'SoftHSM2']))
      return found.filter(({ subject }) => subject === 'SoftHSM2')
    }
    const named = { state: 'problem', remedy: `Set hsm.tokenDirectory to ${tokenDirectory}, and restart everything.` }
    expect(await seen({})).toMatchObject([named])
    // The default of the keeper's file depends on it.
    const [unnamed] = await seen({ keeper: undefined })
    expect(unnamed?.remedy).toContain('"state":"/var/lib/strongroom-token/keeper.sqlite"')
    expect(await seen({ softhsmConf: undefined })).toMatchObject([{ state: 'problem' }])
    expect(await seen({ softhsmConf, tokenDirectory })).toMatchObject([{ state: 'ok' }])
  })

  it('finds a root object that is missing', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const { token } = premises
    const pin = readFileSync(token.pinFile, 'utf8')
    const args = [
      '--module',
      token.module,
      '--login',
      '--pin',
      pin,
      '--delete-object',
      '--type',
      'secrkey',
      '--label',
      'strongroom.pepper.v1',
    ]
    execFileSync('pkcs11-tool', args, { stdio: 'pipe', env: { ...process.env, SOFTHSM2_CONF: token.softhsmConf } })
    expect(await problems(premises)).toContainEqual({
      subject: 'token',
      state: 'problem',
      detail: expect.stringContaining('strongroom.pepper.v1'),
    })
  })

  it('finds that workers can read the PIN, and calls it a trial where the daemon starts the token hosts', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const separation = async () =>
      findings(await premises.run(['--json', 'doctor'])).filter(({ subject }) => subject === 'separation')
    const changed = (spawn: boolean, pinFile = premises.token.pinFile) => {
      const written = JSON.parse(readFileSync(premises.configFile, 'utf8'))
      writeFileSync(premises.configFile, JSON.stringify({ ...written, hsm: { ...written.hsm, spawn, pinFile } }))
    }
    changed(true)
    expect(await separation()).toMatchObject([{ state: 'problem', detail: expect.stringContaining('a trial') }])
    const { uid } = statSync(premises.auditDirectory)
    if (uid === 0) chownSync(premises.auditDirectory, 65_534, 65_534)
    chownSync(premises.token.pinFile, statSync(premises.auditDirectory).uid, -1)
    changed(false)
    expect(await separation()).toMatchObject([{ state: 'problem', detail: expect.stringContaining('the daemon') }])
    if (uid !== 0) return
    chownSync(premises.token.pinFile, 0, 0)
    expect(await separation()).toMatchObject([{ state: 'ok' }])
  })

  it.skipIf(process.getuid?.() !== 0)(
    'finds files of another owner, or closed to theirs, and names the command that mends them',
    async () => {
      const premises = await givenInitialised({ tokenHost: false })
      const data = join(premises.directory, 'data')
      const owners = async () =>
        findings(await premises.run(['--json', 'doctor', '--only', 'owners'])).filter(
          ({ subject }) => subject === 'owners',
        )
      const [trail, object] = [
        join(premises.auditDirectory, 'console.000001.jsonl'),
        join(premises.token.tokenDirectory, 'x/a.object'),
      ]
      mkdirSync(dirname(object))
      writeFileSync(object, '', { mode: 0o600 })
      execFileSync('chown', ['-R', '65534:65534', data, premises.token.tokenDirectory])
      expect(await owners()).toMatchObject([{ state: 'ok' }])
      for (const [path, mode, setting] of [
        [premises.database, 0o600, 'store.sqlite'],
        [trail, 0o600, 'audit.directory'],
        [join(data, 'keeper.sqlite'), 0o600, 'hsm.keeper.state'],
        [join(data, 'floors.sqlite'), 0o400, 'hsm.keeper.state'],
        [object, 0o600, 'hsm.tokenDirectory'],
      ] as const) {
        chownSync(path, mode === 0o600 ? 0 : 65_534, 0)
        chmodSync(path, mode)
        const found = await owners()
        expect(
          found.map(({ state }) => state),
          path,
        ).toContain('problem')
        for (const { detail, remedy } of found) {
          expect(detail).toContain(`(${setting}): nobody, the user of the process`)
          expect(detail).toContain(mode === 0o600 ? 'belongs to root' : 'belongs to nobody, mode 0400')
          execFileSync('sh', ['-c', remedy ?? 'false'])
        }
        expect(await owners(), path).toMatchObject([{ state: 'ok' }])
      }
    },
  )

  it('finds keys of issuers that cannot be read, that are none, or that others may write', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const folder = join(premises.directory, 'issuers')
    mkdirSync(folder, { mode: 0o755 })
    chmodSync(premises.directory, 0o755)
    const file = join(folder, 'cluster.json')
    premises.configure({ service: { issuers: [{ issuer: 'https://cluster.example', jwksFile: file }] } })
    const issuers = async () =>
      findings(await premises.run(['--json', 'doctor', '--only', 'issuers']))
        .filter(({ subject }) => subject === 'issuers')
        .map(({ state, detail, remedy }) => `${state}: ${detail} ${remedy ?? ''}`)
    const named = `${file} (service.issuers.0.jwksFile)`
    expect(await issuers()).toEqual([expect.stringMatching(/cannot be used: ENOENT.*logins by tokens of https:/)])
    const { jwk } = await makePair()
    const set = JSON.stringify({ keys: [jwk] })
    for (const [text, reason] of [
      ['{', 'JSON'],
      [JSON.stringify({ keys: [{ ...jwk, d: 'AAAA' }] }), 'holds a private key'],
      [JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }] }), 'holds no key'],
      [set.padEnd(300_000), 'too long'],
    ] as const) {
      writeFileSync(file, text)
      const seen = await issuers()
      expect(seen, text.slice(0, 60)).toEqual([expect.stringContaining(`problem: ${named} cannot be used: `)])
      expect(seen.join()).toContain(reason)
    }
    writeFileSync(file, set)
    expect(await issuers()).toEqual(['ok: the keys of 1 issuer can be read '])
    chmodSync(file, 0o664)
    chmodSync(folder, 0o777)
    expect(await issuers()).toEqual([
      expect.stringMatching(/^problem: .*cluster.json \(service.*written by others \(mode 0664\).*chmod go-w .*json$/),
      expect.stringMatching(/^problem: .*issuers \(service.*written by others \(mode 0777\).*chmod go-w .*issuers$/),
    ])
    chmodSync(folder, 0o755)
    if (process.getuid?.() !== 0) return
    // Another user runs the keeper, and a third one the workers.
    chownSync(join(premises.directory, 'data'), 65_534, 65_534)
    chmodSync(file, 0o600)
    expect(await issuers()).toEqual([expect.stringContaining('cannot be read by nobody, the user of the keeper')])
    chmodSync(file, 0o644)
    expect(await issuers()).toEqual(['ok: the keys of 1 issuer can be read '])
    for (const path of [premises.auditDirectory, file]) chownSync(path, 1, 1)
    expect(await issuers()).toEqual([expect.stringContaining(`${named} belongs to daemon, the user of the workers`)])
  })

  it('finds a certificate that has expired, and one that is not of the key', async () => {
    const premises = await givenInitialised()
    const certificate = join(premises.directory, 'tls/old.pem')
    const key = join(premises.directory, 'tls/server.key')
    const request = join(premises.directory, 'tls/old.csr')
    openssl(
      'req',
      '-new',
      '-key',
      key,
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-out',
      request,
    )
    openssl(
      'x509',
      '-req',
      '-in',
      request,
      '-signkey',
      key,
      '-copy_extensions',
      'copy',
      '-days',
      '-1',
      '-out',
      certificate,
    )
    premises.configure({ tls: { certificate } })
    expect(await problems(premises)).toMatchObject([
      { subject: 'certificate', detail: expect.stringContaining('expired') },
    ])

    const other = join(premises.directory, 'tls/other.key')
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', other)
    chmodSync(other, 0o600)
    premises.configure({ tls: { key: other } })
    expect(await problems(premises)).toMatchObject([
      { subject: 'certificate', detail: expect.stringContaining('tls.key') },
    ])

    const nameless = join(premises.directory, 'tls/nameless.pem')
    openssl('req', '-x509', '-new', '-key', key, '-subj', '/CN=localhost', '-days', '90', '-out', nameless)
    premises.configure({ tls: { certificate: nameless } })
    expect(await problems(premises)).toMatchObject([
      { subject: 'certificate', detail: expect.stringContaining('alternative name') },
    ])

    for (const [file, says] of [
      [request, 'holds no certificate'],
      [join(premises.directory, 'nowhere.pem'), 'does not exist'],
    ] as const) {
      premises.configure({ tls: { certificate: file } })
      expect(await problems(premises)).toMatchObject([
        { subject: 'certificate', detail: expect.stringMatching(`${file}.*${says}|tls.certificate.*${says}`) },
      ])
    }
  })

  it('finds a token that is another one, a refused PIN, and a module that is not there', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    premises.configure({ hsm: { token: 'pkcs11:token=strongroom;serial=0000000000000000' } })
    expect(await problems(premises)).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining('No token fits hsm.token') }),
    )
    premises.configure({ hsm: { module: '/nowhere/module.so' } })
    expect(await problems(premises)).toContainEqual(
      expect.objectContaining({ detail: expect.stringContaining('hsm.module') }),
    )
    const wrong = join(premises.directory, 'wrong-pin')
    execFileSync('sh', ['-c', 'umask 077; printf 000000 >"$0"', wrong])
    premises.configure({ hsm: { pinFile: wrong } })
    // Once: the check of the vaults' keys opens the token itself, but does not try the PIN again.
    expect((await problems(premises)).filter(({ detail }) => detail.includes('PIN'))).toMatchObject([
      { subject: 'token', detail: expect.stringContaining('refused the PIN') },
    ])
  })

  it('finds a database that is missing, damaged, or of a newer release', async () => {
    const premises = await givenInitialised()
    const sql = (statement: string) => execFileSync('sqlite3', [premises.database, statement])
    sql("INSERT INTO migrations (timestamp, name) VALUES (1, 'Future9999999999999')")
    expect(await problems(premises)).toContainEqual(
      expect.objectContaining({ subject: 'database', detail: expect.stringContaining('Future9999999999999') }),
    )
    sql("DELETE FROM migrations WHERE name LIKE 'Future%'; PRAGMA wal_checkpoint(TRUNCATE)")
    expect(await problems(premises)).toEqual([])
    // Zeroes pages 4 to 7, which are then no valid pages of a B-tree.
    execFileSync('dd', ['if=/dev/zero', `of=${premises.database}`, 'bs=4096', 'seek=3', 'count=4', 'conv=notrunc'], {
      stdio: 'pipe',
    })
    expect(await problems(premises)).toContainEqual(expect.objectContaining({ subject: 'database' }))
    rmSync(premises.database)
    expect(await problems(premises)).toContainEqual(
      expect.objectContaining({ subject: 'database', remedy: expect.stringContaining('strongroom init') }),
    )
    writeFileSync(premises.database, '', { mode: 0o600 })
    expect(await problems(premises)).toContainEqual(
      expect.objectContaining({ subject: 'database', detail: expect.stringContaining('is empty') }),
    )
  })

  it('finds what audit verify finds, and a clock that was set back', async () => {
    const premises = await givenInitialised()
    const chain = join(premises.auditDirectory, 'console.000001.jsonl')
    execFileSync('sed', ['-i', 's/console.init/console.tini/', chain])
    execFileSync('touch', ['-d', '+1 hour', chain])
    expect((await problems(premises)).map(({ subject }) => subject)).toEqual(['audit trail', 'clock'])
  })

  it('says what is wrong with the configuration, and that nothing else could be checked', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    premises.configure({ http: { prot: 1 } })
    const { status, stdout } = await premises.run(['doctor'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^problem +configuration .*cannot be used/m)
    expect(stdout).toContain('http.port')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })
})

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
