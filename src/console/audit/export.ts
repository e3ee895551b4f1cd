import { Option, type Command } from 'commander'
import { once } from 'node:events'
import { createWriteStream, realpathSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { cefOf } from '../../audit/reading/cef.ts'
import type { ReadRecord } from '../../audit/reading/trail-record.ts'
import { readRelease, releaseName } from '../../release.ts'
import { UsageError } from '../exit-code.ts'
import { errorCodeOf, Fault } from '../../fault.ts'
import type { Invocation } from '../invocation.ts'
import { count } from '../output/command-answer.ts'
import { addTrailOptions, recordsOf, timeHelp, type RecordOptions } from './record-options.ts'

type Format = 'jsonl' | 'cef'

interface Options extends RecordOptions {
  readonly format: Format
  readonly output?: string
}

const help = `${timeHelp}

jsonl: each record on a line as it was written (docs/audit.md, Format). cef: the Common Event Format, for SIEMs.
Archived records are written too. To have every record sent as it is written, set audit.forward.

Examples:
  strongroom audit export --since 2026-10-01 --output october.jsonl
  strongroom audit export --until 2026-10-01 --archive /mnt/archive --output before.jsonl
  strongroom audit export --format cef --since 24h --output today.cef`

export function addAuditExport(audit: Command): void {
  addTrailOptions(
    audit.command('export').summary('write records to a file').description('write records for other programs'),
  )
    .addOption(new Option('--format <format>', 'of the lines').choices(['jsonl', 'cef']).default('jsonl'))
    .option('--output <file>', 'a file, which is replaced; by default standard output')
    .addHelpText('after', help)
    .action(async function (this: Command, options: Options) {
      const invocation = this.optsWithGlobals<Invocation>()
      const lines = linesIn(options.format, recordsOf(options, invocation))
      if (options.output === undefined) return invocation.terminal.printAll(lines)
      const written = await writeLines(fileOf(options.output), lines)
      const { terminal, json } = invocation
      if (json === true) terminal.print(JSON.stringify({ file: options.output, records: written }))
      else terminal.print(`${count(written, 'record')} written to ${options.output}`)
    })
}

async function* linesIn(format: Format, records: AsyncIterable<ReadRecord>): AsyncGenerator<string, void> {
  const release = releaseName(readRelease())
  for await (const { record, text } of records) yield format === 'jsonl' ? text : cefOf(record, release)
}

/**
 * The file to replace: the target where `output` is a link.
 * @throws UsageError for a device, a pipe or a folder, which must not be replaced
 */
function fileOf(output: string): string {
  const found = statSync(output, { throwIfNoEntry: false })
  if (found === undefined) return output
  if (!found.isFile())
    throw new UsageError(`${output} is not a file: name one, or leave --output out for standard output.`)
  return realpathSync(output)
}

/** Writes the lines to a draft, which gets the name of the file once it is complete; resolves to their number. */
async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  const draft = `${file}.part`
  const output = createWriteStream(draft, { mode: 0o600, flush: true })
  let written = 0
  try {
    await once(output, 'open')
    for await (const line of lines) {
      written += 1
      if (!output.write(`${line}\n`)) await once(output, 'drain')
    }
    output.end()
    await once(output, 'close')
    await rename(draft, file)
    return written
  } catch (error) {
    output.destroy()
    await rm(draft, { force: true })
    const code = errorCodeOf(error)
    throw code === undefined || error instanceof Fault
      ? error
      : new UsageError(`${file} cannot be written (${code}): name another file.`)
  }
}
