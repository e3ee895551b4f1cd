// The barest server with the duties of an encryption, in one process and its host: Koa behind the same TLS as the
// appliance, one join over the tables of the appliance's own database, one trip over a unix socket to a process that
// encrypts in the token (`floor-host.mjs`), one hash-chained line in a file that is on the disk before the answer, and
// the envelope. It refuses nobody and remembers nothing. What a daemon costs above it is its own.
// `node bench/floor-server.mjs JSON` prints its port and serves until it is killed. With more than one worker it shares
// the port among as many processes, each with a host and a file of its own: what a second process costs of itself.
import Database from 'better-sqlite3'
import { spawn } from 'node:child_process'
import cluster from 'node:cluster'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { constants, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createSecureServer } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import { secureContextOptions } from '../dist/modules/server.js'

const { workers, certificate, key, sqlite, folder, module, pinFile, softhsmConf } = JSON.parse(process.argv[2])

if (workers > 1 && cluster.isPrimary) {
  const ports = Array.from({ length: workers }, async () => {
    const [{ port }] = await once(cluster.fork(), 'listening')
    return port
  })
  const [port] = await Promise.all(ports)
  console.log(port)
} else {
  process.title = `floor: worker ${process.pid}`
  const port = await serve()
  if (cluster.isPrimary) console.log(port)
}

async function serve() {
  const admit = new Database(sqlite, { readonly: true }).prepare(`
    SELECT s.id, s.created_at, s.last_seen_at, s.ended_at, u.id AS user, u.username, u.capabilities, a.revoked_at,
      m.permission, k.*, kv.kek, kv.blob, kv.seal AS version_seal
    FROM session_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
    JOIN application_keys a ON a.id = s.application_key_id LEFT JOIN vault_members m ON m.user_id = u.id AND m.vault_id = ?
    LEFT JOIN transparent_keys k ON k.vault_id = m.vault_id AND k.name = ?
    LEFT JOIN key_versions kv ON kv.key_id = k.id AND kv.version = k.latest_version
    WHERE t.hash = ?`)

  const encrypt = await createEncryption()
  const record = await createTrail()
  const koa = new Koa()
  koa.use(async (context) => {
    const [, , , , vault, , name] = context.path.split('/')
    const token = context.get('x-http-token')
    const caller = admit.get(Number(vault), name, createHash('sha256').update(token).digest('base64'))
    if (!caller?.permission) context.throw(403)
    const chunks = []
    for await (const chunk of context.req) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const ciphertext = await encrypt(Buffer.from(body.plaintext, 'base64'))
    await record({ operation: 'transparent.encrypt', user: caller.user, vault, key: name, outcome: 'SUCCESS' })
    context.status = 201
    context.type = 'application/json'
    context.body = JSON.stringify({
      CALLINFO: {
        errorcodes: 0,
        errors: 0,
        general: [],
        handler: 'EncryptionHandler',
        status: 'SUCCESS',
        token,
        key_version: '1',
        ciphertext: `service:v1:${ciphertext.toString('base64')}`,
        name,
        type: caller.type,
      },
      DATA: { ...body, token },
      HEADERS: context.headers,
      PARAMS: [],
    })
  })

  const answer = koa.callback()
  const tls = secureContextOptions(
    { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') },
    'TLSv1.2',
  )
  const server = createSecureServer({ ...tls, allowHTTP1: true, noDelay: true })
  server.on('request', (request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server.address().port
}

/** Requests of one tick go out with one write; answers come in their order. */
async function createEncryption() {
  const path = join(folder, `floor-${process.pid}.sock`)
  const program = new URL('floor-host.mjs', import.meta.url).pathname
  spawn(process.execPath, [program, path, module, readFileSync(pinFile, 'utf8').trim()], {
    stdio: 'inherit',
    env: { ...process.env, SOFTHSM2_CONF: softhsmConf },
  })
  const socket = await connected(path)
  const waiting = []
  let frames = []
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      waiting.shift()(rest.subarray(4, end))
      rest = rest.subarray(end)
    }
  })
  const flush = () => {
    socket.write(Buffer.concat(frames))
    frames = []
  }
  return (plaintext) =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (frames.length === 0) setImmediate(flush)
      const length = Buffer.allocUnsafe(4)
      length.writeUInt32BE(plaintext.length)
      frames.push(length, plaintext)
    })
}

async function connected(path) {
  for (let tries = 0; ; tries += 1) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (tries === 100) throw error
      await sleep(100)
    }
  }
}

/** Lines that wait share one write, which ends when they are on the disk. */
async function createTrail() {
  const file = await open(
    join(folder, `floor-${process.pid}.jsonl`),
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC,
    0o600,
  )
  let [seq, prev, waiting, running] = [0, '', [], undefined]
  async function run() {
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      let text = ''
      for (const { event } of batch) {
        const line = `${JSON.stringify({ seq: (seq += 1), prev, at: Date.now(), ...event })}\n`
        prev = createHash('sha256').update(line).digest('hex')
        text += line
      }
      await file.write(text)
      for (const { resolve } of batch) resolve()
    }
    running = undefined
  }
  return (event) =>
    new Promise((resolve) => {
      waiting.push({ event, resolve })
      running ??= run()
    })
}
