// The token's side of the floor: `node bench/floor-host.mjs SOCKET MODULE PIN` makes an AES-256 key for this session and
// encrypts with it what comes over the socket: frames of four bytes of length and a plaintext, answered by frames of IV,
// ciphertext and tag. It checks nothing.
import { randomFillSync } from 'node:crypto'
import { createServer } from 'node:net'
import pkcs11 from 'pkcs11js'

const [socket, module, pin] = process.argv.slice(2)
const token = new pkcs11.PKCS11()
token.load(module)
token.C_Initialize()
const session = token.C_OpenSession(token.C_GetSlotList(true)[0], pkcs11.CKF_SERIAL_SESSION | pkcs11.CKF_RW_SESSION)
token.C_Login(session, pkcs11.CKU_USER, pin)
const key = token.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, [
  { type: pkcs11.CKA_TOKEN, value: false },
  { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  { type: pkcs11.CKA_ENCRYPT, value: true },
])

function encrypted(plaintext) {
  const frame = Buffer.allocUnsafe(4 + 12 + plaintext.length + 16)
  const iv = randomFillSync(frame.subarray(4, 16))
  const parameter = { type: pkcs11.CK_PARAMS_AES_GCM, iv, aad: Buffer.alloc(0), ivBits: 96, tagBits: 128 }
  token.C_EncryptInit(session, { mechanism: pkcs11.CKM_AES_GCM, parameter }, key)
  token.C_Encrypt(session, plaintext, frame.subarray(16))
  frame.writeUInt32BE(frame.length - 4)
  return frame
}

createServer((connection) => {
  let rest = Buffer.alloc(0)
  connection.on('error', () => process.exit())
  connection.on('end', () => process.exit())
  connection.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const answers = []
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE()) {
      const end = 4 + rest.readUInt32BE()
      answers.push(encrypted(rest.subarray(4, end)))
      rest = rest.subarray(end)
    }
    connection.write(Buffer.concat(answers))
  })
}).listen(socket)
