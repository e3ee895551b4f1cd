import QRCode from 'qrcode'

/** A QR code as the URI of an SVG image, to be shown as it is. */
export async function qrImage(text: string): Promise<string> {
  const svg = await QRCode.toString(text, { type: 'svg', errorCorrectionLevel: 'L' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
