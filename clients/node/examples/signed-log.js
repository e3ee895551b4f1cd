// Appends what it reads, line by line, to a log that is signed: program | node signed-log.js FILE
//
// Lines that come while one signature is made share the next. Each signature stands in a line of its own and covers all lines
// since the one before, and that one too: none can be changed, moved or taken out. What is cut off at the end shows no trace, so
// send the last signature line to another machine from time to time. `verify-log` needs the public key and openssl alone.
//
// The key: of type ecdsa-p256. Grant: { "keys": "log", "operations": ["sign"] }
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
  // service:v1:…, where 1 is the version of the key that signed.
  const signature = `signature ${await key.sign(before + block)}\n`
  await log.appendFile(block + signature)
  await log.datasync()
  before = signature
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    // The time in front, so that no line looks like a signature; bash, which verifies, reads no NUL.
    waiting.push(`${new Date().toISOString()} ${line.replaceAll('\0', '?')}\n`)
    writing = writing.then(write)
    if (waiting.length >= 1_000) await writing
  }
  await writing
} finally {
  await log.close()
  client.close()
}
