import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option as CommandOption } from 'commander'
import { dist } from './daemon.ts'

/** An option of a benchmark: its text in `--help`, and the parser of its value. */
interface Option<T> {
  readonly takes: string
  readonly says: string
  readonly fallback: T
  /** Name of the default where its value says too little. */
  readonly called?: string
  read(text: string, before: T): T
}

type Options = Readonly<Record<string, Option<unknown>>>

/** The values of the options in `O`. */
export type Read<O> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never }

export const count = (fallback: number, says: string): Option<number> => ({
  takes: '<n>',
  says,
  fallback,
  read: wholeNumber,
})

export const counts = (fallback: readonly number[], says: string): Option<readonly number[]> => ({
  takes: '<a,b>',
  says,
  fallback,
  read: (text) => text.split(',').map(wholeNumber),
})

/** A JSON object. */
export const record = (says: string): Option<Readonly<Record<string, unknown>>> => ({
  takes: '<json>',
  says,
  fallback: {},
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the daemon refuses what it does not know
  read: (text) => JSON.parse(text) as Record<string, unknown>,
})

/** Builds of the daemon to compare with this one, which comes first. */
export const builds: Option<readonly string[]> = {
  takes: '<dir>',
  says: 'the dist of another checkout, measured in the same rounds; as often as you like',
  fallback: [dist],
  called: 'this one alone',
  read: (path, before) => [...before, resolve(path)],
}

/** Reads `args` as the options of a benchmark. Ends the program after `--help` and for invalid options. */
export function readOptions<O extends Options>(name: string, options: O, args: string[]): Read<O> & { json?: true } {
  const command = new Command(`npm run bench:${name} --`)
  for (const [option, { takes, says, fallback, called, read }] of Object.entries(options))
    command.addOption(new CommandOption(`--${option} ${takes}`, says).argParser(read).default(fallback, called))
  command.option('--json', 'the result as one line of JSON and nothing else')
  return command.parse(args, { from: 'user' }).opts()
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
