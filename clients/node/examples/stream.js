// Encrypts or decrypts its input, of any length, with memory for a few segments of 1 MiB.
//
//   node stream.js encrypt NAME < file > file.srs
//   node stream.js decrypt NAME < file.srs > file.part && mv file.part file
//
// The output is complete only if the program exits with 0. The stream is bound to NAME: decryption with another name
// fails.
// Grants: { "keys": "files", "operations": ["datakey"] } encrypts but cannot decrypt earlier streams; ["decrypt"]
// decrypts.
import { pipeline } from 'node:stream/promises'
import { connect } from './connect.js'

const [command, name] = process.argv.slice(2)
if (!['encrypt', 'decrypt'].includes(command) || name === undefined)
  throw new Error('Say encrypt or decrypt, and a name.')
const { client, key } = connect('files')
const aad = `file:${name}`
try {
  const source = process.stdin
  await pipeline(
    command === 'encrypt' ? key.encryptStream(source, { aad }) : key.decryptStream(source, { aad }),
    process.stdout,
  )
} finally {
  client.close()
}
