// Encrypts or decrypts what it reads, of any length, with memory for some segments of 1 MiB.
//
//   node stream.js encrypt NAME < file > file.srs
//   node stream.js decrypt NAME < file.srs > file.part && mv file.part file
//
// What comes out is whole only where the program ends with 0. NAME is bound to the stream: it decrypts under no other.
// Grants: { "keys": "files", "operations": ["datakey"] } encrypts, and opens nothing of before; ["decrypt"] decrypts.
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
