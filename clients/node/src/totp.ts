const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
export const stepMs = 30_000

/** The code of an authenticator app for the time step `step` (RFC 6238: HMAC-SHA-1, 6 digits, 30 seconds). */
export async function totpCode(secret: string, step: number): Promise<string> {
  const key = await crypto.subtle.importKey('raw', fromBase32(secret), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign'])
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(step))
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  const code = mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff
  return String(code % 1_000_000).padStart(6, '0')
}

function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const letters = text.toUpperCase().replaceAll(/[\s=-]/g, '')
  const bytes = new Uint8Array(Math.floor((letters.length * 5) / 8))
  let bits = 0
  let value = 0
  let at = 0
  for (const letter of letters) {
    const digit = alphabet.indexOf(letter)
    if (digit === -1) throw new TypeError('The TOTP secret is not base32.')
    value = ((value << 5) | digit) & 0xfff
    bits += 5
    if (bits >= 8) bytes[at++] = (value >> (bits -= 8)) & 0xff
  }
  return bytes
}
