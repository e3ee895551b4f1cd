import { readFile, readdir } from 'node:fs/promises'
import type { Example, Examples } from '../contract/example.ts'

const folder = new URL('../examples/', import.meta.url)

/** Reads the examples, one file per operation, when the document is first asked for: not needed at start. */
export async function readExamples(): Promise<Examples> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json'))
  const read = async (file: string): Promise<readonly [string, Example]> => [
    file.slice(0, -'.json'.length),
    JSON.parse(await readFile(new URL(file, folder), 'utf8')),
  ]
  return new Map(await Promise.all(files.map(read)))
}
