import { utcText } from '../../clock.ts'

/** The answer of a command: one JSON document for scripts, lines for people. */
export interface Answer {
  readonly json: unknown
  readonly lines: readonly string[]
  /** 0 if absent. */
  readonly exitCode?: number
}

/** Formats rows as lines with aligned columns; the last column is not padded. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

/** Wraps text between words to lines of at most `width` characters. A longer word gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

export function dateOf(ms: number): string {
  return utcText(ms).slice(0, 16)
}

export function count(number: number, word: string, several = `${word}s`): string {
  return `${number} ${number === 1 ? word : several}`
}
