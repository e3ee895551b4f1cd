import type { Command } from 'commander'
import { contentOf, type Connection } from '../connection.ts'
import { UsageError } from '../exit-code.ts'
import { connected, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { writeSecretFile } from '../private-file.ts'
import { readFieldReference } from '../reference.ts'

interface TemplateOptions {
  readonly output?: string
  readonly force?: boolean
}

export function addTemplate(program: Command): void {
  program
    .command('template')
    .description('fill the placeholders of a file with secrets')
    .argument('<file>', 'the file with placeholders; - for standard input')
    .option('--output <file>', 'write here, for the owner alone, in place of standard output')
    .option('--force', 'replace the file of --output where it is there')
    .addHelpText(
      'after',
      `
A placeholder is {{ strongroom "VAULT/OBJECT/FIELD" }}. All else stays as it is, other braces too. Where one of the
secrets cannot be read, nothing is written.

Example:
  strongroom-cli template app.conf.in --output app.conf`,
    )
    .action(connected(fill))
}

const opening = /\{\{-?\s*strongroom\b/g
const placeholder = /\{\{\s*strongroom\s+"([^"\n]+)"\s*\}\}/y

async function fill({ client }: Connection, { terminal }: Invocation, file: string, options: TemplateOptions) {
  const text = decoded(file, file === '-' ? await terminal.input() : contentOf(file))
  const parts = partsOf(file, text)
  const lookup = createLookup(client)
  const filled: string[] = []
  for (const part of parts)
    filled.push(typeof part === 'string' ? part : await lookup.value(readFieldReference(part.reference)))
  const whole = filled.join('')
  const count = parts.filter((part) => typeof part !== 'string').length
  if (options.output === undefined) return { json: { text: whole, placeholders: count }, text: whole }
  writeSecretFile(options.output, whole, options.force ?? false)
  return {
    json: { file: options.output, placeholders: count },
    text: `Wrote ${options.output}, with ${count} ${count === 1 ? 'placeholder' : 'placeholders'} filled.\n`,
  }
}

/** Splits a template into texts and references. The values of secrets are not searched for placeholders. */
function partsOf(file: string, text: string): (string | { readonly reference: string })[] {
  const parts: (string | { readonly reference: string })[] = []
  let at = 0
  for (const { index } of text.matchAll(opening)) {
    placeholder.lastIndex = index
    const [written, reference] = placeholder.exec(text) ?? []
    if (written === undefined || reference === undefined) {
      const line = text.slice(0, index).split('\n').length
      throw new UsageError(`${file}:${line}: write {{ strongroom "VAULT/OBJECT/FIELD" }}.`)
    }
    readFieldReference(reference)
    parts.push(text.slice(at, index), { reference })
    at = index + written.length
  }
  return [...parts, text.slice(at)]
}

function decoded(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new UsageError(`${file} is not text in UTF-8.`, { cause })
  }
}
