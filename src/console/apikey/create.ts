import type { Command } from 'commander'
import { currentResponseVersion, type ResponseVersion } from '../../access/caller.ts'
import { Fault, isFault } from '../../fault.ts'
import { withAppliance } from '../console-context.ts'
import { shapesOption } from './shapes.ts'
import { answering } from '../invocation.ts'

const help = `
One key serves all users of one application. It is shown once and cannot be shown again.

An application that was written for release 2.0.5 of the interface reads answers of another shape: --shapes 2.0.5.

Example:
  strongroom apikey create payroll`

export function addApplicationKeyCreate(applicationKey: Command): void {
  applicationKey
    .command('create')
    .description('make a key for an application')
    .argument('<name>', 'name of the application: 1 to 64 letters, digits, blanks and . _ -')
    .addOption(shapesOption().default(currentResponseVersion))
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string, { shapes }: { shapes: ResponseVersion }) => {
        const { key } = await withAppliance(invocation, ({ change, services }) =>
          change('apikey.create', `application key ${name}`, (commit) =>
            services.applicationKeys.create(name, commit, shapes).catch((error: unknown) => {
              if (!isFault(error, 'store.conflict')) throw error
              throw new Fault(
                'store.conflict',
                `There is, or was, an application key called ${name}: choose another name.`,
              )
            }),
          ),
        )
        return {
          json: { name, key, shapes },
          lines: [`Application key ${name}: ${key}`, 'It is shown this once: hand it to the application now.'],
        }
      }),
    )
}
