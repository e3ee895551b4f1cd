// Appends the lines of its input to a signed log: program | node signed-log.js FILE
//
// Lines that arrive during one signature share the next one. Each signature is a line of its own. It covers all lines
// since the previous signature, and that signature, so no line can be changed, moved or removed. Removal of lines at
// the end leaves no trace: send the last signature line to another machine from time to time. `verify-log` needs only
// the public key and openssl.
//
// The key has type ecdsa-p256. Grants: { "keys": "log", "operations": ["sign"] }
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { connect } from './connect.js'

const file = process.argv[2]
const { client, key } = connect('log')
const log = await open(file, 'a')
let before = await lastSignature()
let waiting = []
let writing = Promise.resolve()

async function lastSignature() {
  let last = ''
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.startsWith('signature ')) last = `${line}\n`
  }
  return last
}

async function write() {
  if (waiting.length === 0) return
  const block = waiting.join('')
  waiting = []
  // Format: service:v1:…, where 1 is the version of the signing key.
  const signature = `signature ${await key.sign(before + block)}\n`
  await log.appendFile(block + signature)
  await log.datasync()
  before = signature
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    // Each line begins with the time, so that none looks like a signature. NUL is replaced, because bash verifies the
    // log and cannot read it.
    waiting.push(`${new Date().toISOString()} ${line.replaceAll('\0', '?')}\n`)
    writing = writing.then(write)
    if (waiting.length >= 1_000) await writing
  }
  await writing
} finally {
  await log.close()
  client.close()
}
