// node scripts/show-qr.mjs FILE: shows the otpauth URI in a file of credentials as a QR code on this terminal.
import { readFileSync } from 'node:fs'
import { qrCode } from '../dist/modules/qr-code.js'
import { createTerminal } from '../dist/modules/terminal.js'

const { totpUri } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const terminal = createTerminal(process)
for (const line of qrCode(totpUri)) terminal.print(`  ${terminal.blackOnWhite(line)}`)
