import { styleText } from 'node:util'
import { utcText } from '../../clock.ts'

/** What a command has to say: one JSON document for scripts, lines for people. */
export interface Answer {
  readonly json: unknown
  readonly lines: readonly string[]
  /** 0 when absent. */
  readonly exitCode?: number
}

export function print({ json, lines }: Answer, asJson: boolean): void {
  const text = asJson ? JSON.stringify(json, undefined, 2) : lines.join('\n')
  if (text !== '') process.stdout.write(`${text}\n`)
}

/** Rows as lines with aligned columns; the last column is never padded. */
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

/** Breaks text between words so that no line is longer than `width`, where words allow it. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Columns to write in: the terminal's, within reason. */
export function pageWidth(): number {
  return Math.min(Math.max(process.stdout.columns ?? 100, 60), 100)
}

export function coloured(colour: 'green' | 'yellow' | 'red' | 'bold', text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(colour, text, { validateStream: false }) : text
}

/** A passing remark for a person, on standard error, and only where a person looks. */
export function remark(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`)
}

export function dateOf(ms: number): string {
  return utcText(ms).slice(0, 16)
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
