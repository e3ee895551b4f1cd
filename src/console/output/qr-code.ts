import QRCode from 'qrcode'

const quietModules = 2

/**
 * A QR code as lines for a terminal, with two rows of modules per line. Print them black on white: in the colours of a
 * dark terminal the code is inverted, and many cameras cannot read it.
 */
export function qrCode(text: string): string[] {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'L' })
  const isDark = (row: number, column: number) =>
    row >= 0 && column >= 0 && row < modules.size && column < modules.size && modules.get(row, column) === 1
  const lines: string[] = []
  for (let row = -quietModules; row < modules.size + quietModules; row += 2) {
    let line = ''
    for (let column = -quietModules; column < modules.size + quietModules; column++)
      line += block(isDark(row, column), isDark(row + 1, column))
    lines.push(line)
  }
  return lines
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
