import QRCode from 'qrcode'

const quietModules = 2

/**
 * A QR code as lines for a terminal, two rows of modules to a line. The colours are set, because a code in the colours of
 * a dark terminal is inverted, and many cameras do not read that.
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
    lines.push(process.stdout.isTTY ? `\u001B[30;107m${line}\u001B[0m` : line)
  }
  return lines
}

function block(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
