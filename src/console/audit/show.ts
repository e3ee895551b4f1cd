import type { Command } from 'commander'
import { linesOf } from './record-lines.ts'
import { addTrailOptions, recordsOf, timeHelp, type RecordOptions } from './record-options.ts'
import type { Invocation } from '../invocation.ts'

const help = `${timeHelp}

Shows the records of all chains in the order of time, also those that were archived. With --json each is one
line, as it was written (docs/audit.md, Format). It shows what the files say; strongroom audit
verify checks whether they are unchanged.

Examples:
  strongroom audit show --since 1h
  strongroom audit show --user alice --archive /mnt/archive
  strongroom audit show --since 2026-10-01 --until 2026-10-02 --user alice --outcome refused
  strongroom --json audit show --operation 'console.*' | jq -r '[.at, .username, .subject] | @tsv'`

export function addAuditShow(audit: Command): void {
  addTrailOptions(
    audit.command('show').summary('show records').description('show the records of the audit trail, oldest first'),
  )
    .addHelpText('after', help)
    .action(async function (this: Command, options: RecordOptions) {
      const invocation = this.optsWithGlobals<Invocation>()
      const { terminal } = invocation
      await terminal.printAll(linesOf(recordsOf(options, invocation), terminal, invocation.json === true))
    })
}
