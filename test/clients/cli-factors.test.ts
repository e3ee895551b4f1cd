import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import { ClientCa } from '../support/client-pki.ts'
import { totpCode } from '../support/hardware-token.ts'
import { Machine } from './cli-kit.ts'

describe('a login of strongroom-cli by smartcard', () => {
  const ca = new ClientCa()
  let cards: CardAppliance
  let machine: Machine
  beforeAll(async () => {
    cards = await CardAppliance.start({ clientCa: ca.certificate })
    machine = new Machine(cards.appliance)
  })
  afterAll(async () => {
    machine.remove()
    await cards.close()
  })

  it('takes its certificate in files or in PKCS#12, and goes on at the usual port', async () => {
    const card = ca.issue('/CN=Alice Example')
    const user = await cards.holder(card)
    const given = ['--ca', join(machine.home, 'ca.pem'), '--smartcard-port', new URL(cards.url).port]
    const login = ['--url', machine.url, 'login', '--factor', 'smartcard', '--username', user.username, ...given]
    const files = ['--certificate-file', card.certificate, '--key-file', card.key]
    const answers = `${cards.appliance.applicationKey}\n${user.passphrase}\n`
    expect(await machine.must([...login, ...files], { input: answers })).toContain(`as ${user.username}`)
    expect(await machine.must(['vaults'])).toBe('')

    const bundle = join(machine.home, 'card.p12')
    const out = ['-out', bundle, '-passout', 'pass:of the file']
    execFileSync('openssl', ['pkcs12', '-export', '-in', card.certificate, '-inkey', card.key, ...out])
    await machine.must(['logout'])
    await machine.must([...login, '--pkcs12-file', bundle], { input: `of the file\n${user.passphrase}\n` })
    expect(await machine.must(['vaults'])).toBe('')
  })

  it("is refused with another person's card, and without one", async () => {
    const [user, other] = [await cards.holder(ca.issue('/CN=One')), ca.issue('/CN=Other')]
    await cards.holder(other)
    const own = new Machine(cards.appliance)
    const given = ['--ca', join(own.home, 'ca.pem'), '--smartcard-port', new URL(cards.url).port]
    const login = ['--url', own.url, 'login', '--factor', 'smartcard', '--username', user.username, ...given]
    const input = `${cards.appliance.applicationKey}\n${user.passphrase}\n`
    const files = ['--certificate-file', other.certificate, '--key-file', other.key]
    expect((await own.run([...login, ...files], { input })).status).toBe(1)
    expect(await own.run(login, { input })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--certificate-file'),
    })
    own.remove()
  })
})

describe('strongroom-cli', () => {
  const appliance = applianceForTests()

  it('keeps its session in the keyring of the desktop, where one works', async () => {
    const [machine, user] = [new Machine(appliance), await appliance.addUser()]
    const login = `"$0" --url ${machine.url} login --username ${user.username} --ca ca.pem`
    const words = (...more: string[]) => [...more, user.passphrase, user.hardwareToken.press()].join('\\n')
    const forgotten = ['session', 'application-key'].map(
      (one) => `! secret-tool lookup program strongroom-cli secret ${one}`,
    )
    // Counts the runs of the real program.
    chmodSync(machine.write('bin/secret-tool', '#!/bin/sh\necho "$1" >>runs\nexec /usr/bin/secret-tool "$@"\n'), 0o755)
    const script = `printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      export PATH=${join(machine.home, 'bin')}:$PATH
      printf '${words(appliance.applicationKey)}\\n' | ${login} && test ! -e .config/strongroom-cli/secrets.json &&
      rm runs && "$0" vaults && mv runs runs-of-call && secret-tool search --all program strongroom-cli &&
      printf '${words()}\\n' | ${login} --keep file && ${forgotten.join(' && ')} && "$0" vaults &&
      printf '${words()}\\n' | ${login} --keep keyring && "$0" vaults && cp .config/strongroom-cli/secrets.json left &&
      "$0" logout --forget && ${forgotten.join(' && ')} &&
      printf '${words(appliance.applicationKey)}\\n' | ${login} && dbus-send --session --print-reply \\
        --dest=org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service.Lock \\
        array:objpath:/org/freedesktop/secrets/collection/login && ! "$0" vaults 2>locked &&
      cp -r .config copy && printf '${words(appliance.applicationKey)}\\n' |
        XDG_CONFIG_HOME="$PWD/copy" ${login} --keep file 2>left-behind`
    const { status, stdout, stderr } = spawnSync('dbus-run-session', ['--', 'bash', '-c', script, machine.program], {
      cwd: machine.home,
      env: machine.environment,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, expect.stringContaining('kept in the keyring')])
    expect(stdout + stderr).toMatch(/label = Strongroom session at https/)
    const written = (name: string) => readFileSync(join(machine.home, name), 'utf8')
    // Each run may ask a person to unlock the keyring.
    expect(written('runs-of-call')).toBe('lookup\n')
    expect(JSON.parse(written('left'))).toEqual({ [machine.url]: {} })
    expect(written('locked')).toContain('strongroom-cli: The keyring is locked')
    expect(written('left-behind')).toMatch(/The session of the last login stays in the keyring\. The keyring is locked/)
    expect(readFileSync(join(machine.home, '.config/strongroom-cli/config.json'), 'utf8')).toContain(
      '"kept": "keyring"',
    )
    // Later, without the desktop: it says so, and takes no other way silently.
    const without = await machine.run(['vaults'])
    expect(without).toMatchObject({ status: 1, stderr: expect.stringContaining('keyring cannot be used') })
    expect((await machine.logIn(user, user.hardwareToken.press(), '--keep', 'keyring')).status).toBe(1)
    expect(await machine.logIn(user)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('secrets.json'),
      stderr: expect.stringContaining('keyring cannot be used'),
    })
    await machine.must(['vaults'])
    machine.remove()
  })

  it('asks a person at a terminal, and shows no secret that is typed', async () => {
    const [machine, user] = [new Machine(appliance), await appliance.addUser()]
    const command = `"${machine.program}" --url ${machine.url} login --ca ca.pem && "${machine.program}" vaults`
    const typed = [user.username, appliance.applicationKey, user.passphrase, totpCode(user.totpSecret)]
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: machine.home, env: machine.environment })
    let shown = ''
    let answered = 0
    child.stdout.on('data', (piece: Buffer) => {
      shown += String(piece)
      const questions = shown.match(/(User|Application key|Pass phrase|One-time password): /g) ?? []
      // Each line when it is asked for, as a person types.
      while (answered < questions.length) child.stdin.write(`${typed[answered++] ?? ''}\r`)
    })
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0)
    expect(shown).toContain('Logged in at')
    expect(answered).toBe(4)
    for (const secret of typed.slice(1)) expect(shown).not.toContain(secret)
    machine.remove()
  })
})
