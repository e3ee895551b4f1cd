import { Argument, Option, type Command } from 'commander'
import { responseVersions, type ResponseVersion } from '../../access/caller.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const meaning = 'release whose shapes the answers have'

export const shapesOption = (): Option => new Option('--shapes <release>', meaning).choices(responseVersions)

const help = `
Release 2.0.5 answers GROUP, OBJECT and TEMPLATESINFO keyed by id, and knows neither HEADERS, BREADCRUMB and
ERRORCODES nor the audit of a login. It takes effect at the next call of each session.

Example:
  strongroom apikey shapes payroll 2.0.5`

export function addApplicationKeyShapes(applicationKey: Command): void {
  applicationKey
    .command('shapes')
    .description('set the release of the interface that an application was written for')
    .argument('<name>', 'name of the application')
    .addArgument(new Argument('<release>', meaning).choices(responseVersions))
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string, release: ResponseVersion) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('apikey.shapes', `application key ${name} ${release}`, (commit) =>
            services.applicationKeys.setResponseVersion(name, release, commit),
          ),
        )
        return { json: { name, shapes: release }, lines: [`${name} is answered in the shapes of ${release} now.`] }
      }),
    )
}
