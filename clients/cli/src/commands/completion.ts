import { Argument, type Command } from 'commander'
import { readFileSync } from 'node:fs'
import { answering, type Invocation } from '../invocation.ts'

const files = { bash: 'strongroom-cli.bash', zsh: '_strongroom-cli' } as const

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the completion of this program for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(files)))
    .addHelpText(
      'after',
      `
Examples:
  strongroom-cli completion bash >~/.local/share/bash-completion/completions/strongroom-cli
  strongroom-cli completion zsh >~/.zfunc/_strongroom-cli`,
    )
    .action(
      answering((_invocation: Invocation, shell: keyof typeof files) => {
        // Generated when the package is built.
        const text = readFileSync(new URL(`../../completions/${files[shell]}`, import.meta.url), 'utf8')
        return Promise.resolve({ json: { shell, text }, text })
      }),
    )
}
