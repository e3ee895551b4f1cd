// node scripts/show-qr.mjs FILE: the otpauth URI in a file of credentials, as a QR code on this terminal.
import { readFileSync } from 'node:fs'
import { qrCode } from '../dist/console/output/qr-code.js'

const { totpUri } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
process.stdout.write(
  `${qrCode(totpUri)
    .map((line) => `  ${line}`)
    .join('\n')}\n`,
)
