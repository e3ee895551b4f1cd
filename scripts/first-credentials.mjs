// node scripts/first-credentials.mjs FILE CONSOLE…: makes the first administrator, a TOTP device and an application key
// with the console. Writes the results to FILE after each step, so that an interrupted run can continue.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const [file, ...console] = process.argv.slice(2)
const username = 'admin'
const credentials = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { username }

if (!('passphrase' in credentials)) keep({ passphrase: newPassphrase() })
if (!strongroom(['user', 'list']).some((user) => user.username === username)) {
  const details = ['--fullname', 'Administrator', '--email', 'admin@localhost', '--admin', '--passphrase-file', '-']
  strongroom(['user', 'add', username, ...details], credentials.passphrase)
}
if (!('totpUri' in credentials)) {
  const { uri, secret } = strongroom(['otp', 'enroll', username, '--totp'])
  keep({ totpUri: uri, totpSecret: secret })
}
if (!('applicationKey' in credentials)) {
  // An interrupted run may have made a key that nobody knows, so a free name is chosen.
  const taken = strongroom(['apikey', 'list']).map((key) => key.name)
  const name = ['first', 'second', 'third'].find((candidate) => !taken.includes(candidate)) ?? `setup ${Date.now()}`
  keep({ applicationKey: strongroom(['apikey', 'create', name]).key })
}

function strongroom(args, input = '') {
  const [command, ...before] = console
  const done = spawnSync(command, [...before, '--json', ...args], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
  return JSON.parse(done.stdout)
}

function keep(made) {
  Object.assign(credentials, made)
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Five groups of five from 31 letters and digits that cannot be confused: 123 bits. */
function newPassphrase() {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'.replace('l', '')
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 5 }, group).join('-')
}
