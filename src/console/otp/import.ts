import { operatorId } from '../../access/confirmation.ts'
import type { Command } from 'commander'
import { readSecret } from '../../config/loader.ts'
import { Fault } from '../../fault.ts'
import { readLogLine, type LogLine } from '../../features/otp/device-log.ts'
import { count } from '../output/command-answer.ts'
import { onHoldNotice } from '../../features/users/recovery.ts'
import { withAppliance, type ConsoleContext } from '../console-context.ts'
import { exitCodes, sentenceOf } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import { nameAnother } from '../output/terminal.ts'

const help = `
FILE is a log of Yubico's personalisation tool ("traditional" or "Yubico format"), what ykman writes with
--config-output, or lines "publicid,privateid,secret": the public id in modhex, the others in hexadecimal. - is
standard input. Each line is a change of its own: a line that cannot be used does not stop the others, but the
exit code is 1 then. Without --user, hardware tokens are registered for no user, and strongroom otp assign gives
them out later. OATH-HOTP lines need a user; those of the "Yubico format" do not tell the length of their codes,
which is taken to be 6. Destroy the file afterwards: it holds the secrets.

Examples:
  strongroom otp import configuration_log.csv
  ykman otp yubiotp 1 --generate-key … --config-output - | strongroom otp import - --user alice`

interface Outcome {
  readonly line: number
  readonly state: 'registered' | 'refused'
  readonly device?: string
  readonly why?: string
}

export function addOtpImport(otp: Command): void {
  otp
    .command('import')
    .description('register hardware tokens from the log of the tool that wrote them')
    .argument('<file>', 'log file, private to you; - for standard input')
    .option('--user <name>', 'give them to this user')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, file: string, { user }: { user?: string }) => {
        const text = file === '-' ? await invocation.terminal.standardInput() : readSecret(file, nameAnother)
        const { outcomes, notice } = await withAppliance(invocation, (context) =>
          importAll(context, text.split(/\r?\n/), user),
        )
        const refused = outcomes.filter(({ state }) => state === 'refused').length
        return {
          json: { outcomes },
          lines: [
            ...outcomes.map(({ line, device, why }) => `line ${line}: ${why ?? `registered ${device}`}`),
            `${count(outcomes.length - refused, 'device')} registered, ${count(refused, 'line')} refused.`,
            ...notice,
          ],
          exitCode: refused === 0 ? exitCodes.done : exitCodes.refused,
        }
      }),
    )
}

async function importAll(
  context: ConsoleContext,
  lines: readonly string[],
  username: string | undefined,
): Promise<{ readonly outcomes: Outcome[]; readonly notice: readonly string[] }> {
  const holder = username === undefined ? undefined : await context.services.users.find(username)
  const outcomes: Outcome[] = []
  for (const [at, text] of lines.entries()) {
    const line = at + 1
    const read = readLogLine(text)
    if (read.kind === 'nothing') continue
    try {
      outcomes.push({ line, state: 'registered', device: await importOne(context, read, holder) })
    } catch (error) {
      // A bad line does not stop the import; a failing token or database does.
      if (!(error instanceof Fault && /^(otp|request)\./.test(error.code))) throw error
      outcomes.push({ line, state: 'refused', why: sentenceOf(error) })
    }
  }
  const notice = holder === undefined ? [] : await onHoldNotice(context.services.recoveries, holder.id)
  return { outcomes, notice }
}

async function importOne(
  { change, services: { enrolments } }: ConsoleContext,
  read: Exclude<LogLine, { kind: 'nothing' }>,
  holder: { readonly id: number; readonly username: string } | undefined,
): Promise<string> {
  const whose = holder === undefined ? 'no user' : `user ${holder.username}`
  if (read.kind === 'unusable') throw new Fault('otp.device_invalid', `The line cannot be used: ${read.why}.`)
  if (read.kind === 'hwkey_otp') {
    await change('otp.import', `${whose}: hardware token ${read.publicId}`, (commit) =>
      enrolments.enrolHardwareToken(holder?.id ?? null, read, operatorId, commit),
    )
    return `hardware token ${read.publicId}`
  }
  if (holder === undefined)
    throw new Fault('otp.device_invalid', 'A HOTP token has no public id to give it out by later: name its --user.')
  const { device } = await change('otp.import', `${whose}: HOTP`, (commit) =>
    enrolments.enrolCodes(holder, read, operatorId, commit),
  )
  return `HOTP token ${device.id}`
}
