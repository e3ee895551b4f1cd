// node scripts/main-job.mjs --url URL --ca FILE [--credentials FILE] [--keep FILE]
//
// Does the main job of the appliance over TLS, without code of the appliance: logs in, creates a vault, encrypts,
// rotates, encrypts again, and decrypts the ciphertexts of both versions. Credentials are from a file or typed. --keep
// stores the ciphertexts in a file; those of earlier runs are decrypted first.
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    ca: { type: 'string' },
    credentials: { type: 'string' },
    keep: { type: 'string' },
  },
})
const ca = readFileSync(options.ca)
const vaultName = 'First steps'
const keyName = 'greeting'
const message = 'Hello from the strongroom.'
const stepMs = 30_000

let token
try {
  await mainJob()
} catch (error) {
  process.stderr.write(`      ${error.message}\n`)
  process.exitCode = 1
}

async function mainJob() {
  await logIn()
  const vault = await openVault()
  const path = `/transparent/${vault.id}`
  const kept = earlier()
  for (const ciphertext of kept) {
    const { plaintext, key_version: version } = await call('POST', `${path}/decrypt/${keyName}`, { ciphertext })
    tell(`decrypt what an earlier run made`, `version ${version}: ${quoted(plaintext)}`)
  }
  const first = await encrypt(path)
  const { key_version: rotated } = await call('POST', `${path}/keys/${keyName}/rotate`)
  tell('rotate the key', `version ${rotated}`)
  const second = await encrypt(path)
  for (const ciphertext of [first, second]) await decrypt(path, ciphertext)
  if (options.keep !== undefined)
    writeFileSync(options.keep, JSON.stringify([...kept, first, second].slice(-4)), { mode: 0o600 })
  await call('GET', '/auth/logout')
  tell('log out', 'the session is over')
}

async function logIn() {
  const { username, passphrase, applicationKey, totpSecret, otp } = await credentials()
  const attempt = () =>
    call('POST', '/auth', {
      username,
      passphrase,
      apikey: applicationKey,
      otp: otp ?? totp(totpSecret),
      logintype: 'totp',
    })
  const session = await attempt().catch(async (error) => {
    // A code is valid once, and an earlier run may have used the current one: wait for the next.
    if (error.status !== 403 || totpSecret === undefined) throw error
    const waitMs = stepMs - (Date.now() % stepMs) + 500
    tell('log in', `this code was used already, the next comes in ${Math.ceil(waitMs / 1000)} s`)
    await sleep(waitMs)
    return attempt()
  })
  token = session.token
  tell(`log in as ${username}`, `pass phrase, application key and code accepted`)
}

async function openVault() {
  const { VAULTS } = await envelope('GET', '/vault')
  const known = VAULTS.find((vault) => vault.groupname === vaultName)
  if (known !== undefined) {
    tell('open the vault', `"${vaultName}", id ${known.id}, made by an earlier run`)
    return known
  }
  const { VAULT } = await envelope('POST', '/vault', {
    vaultname: vaultName,
    policy: '7',
    description: 'Made by scripts/setup',
  })
  tell('create a vault', `"${vaultName}", id ${VAULT[0].id}, with a key of its own in the token`)
  return VAULT[0]
}

async function encrypt(path) {
  const plaintext = Buffer.from(message).toString('base64')
  const { ciphertext, key_version: version } = await call('POST', `${path}/encrypt/${keyName}`, {
    plaintext,
    type: 'aes256-gcm96',
  })
  tell('encrypt', `version ${version}: ${ciphertext.slice(0, 40)}…`)
  return ciphertext
}

async function decrypt(path, ciphertext) {
  const { plaintext, key_version: version } = await call('POST', `${path}/decrypt/${keyName}`, { ciphertext })
  if (Buffer.from(plaintext, 'base64').toString() !== message)
    throw new Error('The plaintext that came back is another one.')
  tell(`decrypt`, `version ${version}: ${quoted(plaintext)}`)
}

async function call(method, path, body) {
  return (await envelope(method, path, body)).CALLINFO
}

function envelope(method, path, body) {
  const url = new URL(`/api/1.0${path}`, options.url)
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = {
    'Content-Length': Buffer.byteLength(text),
    ...(token === undefined ? {} : { 'X-Http-Token': token }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      ca,
      headers: text === '' ? headers : { ...headers, 'Content-Type': 'application/json' },
    })
    sent.on('error', (error) => reject(new Error(`${method} ${url} failed: ${error.message}`)))
    sent.on('response', (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString())
        token = answer.CALLINFO.token ?? token
        if (answer.CALLINFO.status === 'SUCCESS') return resolve(answer)
        const reason = Object.values(answer.ERRORCODES ?? {}).concat(answer.ERRORS ?? [])
        reject(
          Object.assign(new Error(`${method} ${url.pathname} was refused (${response.statusCode}): ${reason[0]}`), {
            status: response.statusCode,
          }),
        )
      })
    })
    sent.end(text)
  })
}

async function credentials() {
  if (options.credentials !== undefined) return JSON.parse(readFileSync(options.credentials, 'utf8'))
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return {
      username: (await terminal.question('      User name [admin]: ')) || 'admin',
      passphrase: await terminal.question('      Pass phrase (shown as you type): '),
      applicationKey: await terminal.question('      Application key: '),
      otp: await terminal.question('      Code of the authenticator app: '),
    }
  } finally {
    terminal.close()
  }
}

function earlier() {
  return options.keep !== undefined && existsSync(options.keep) ? JSON.parse(readFileSync(options.keep, 'utf8')) : []
}

/** The TOTP code of RFC 6238 with SHA-1, 6 digits and 30 seconds, like an authenticator app. */
function totp(secret) {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const code = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff
  return String(code % 1_000_000).padStart(6, '0')
}

function quoted(plaintext) {
  return `"${Buffer.from(plaintext, 'base64').toString()}"`
}

function tell(step, result) {
  process.stdout.write(`  ${step.padEnd(34)} ${result}\n`)
}
