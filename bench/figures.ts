/** Something to measure, for example a kind of call to one server. */
export interface Task<F extends Figures> {
  readonly name: string
  /** Name of the task that it is compared with. Default: the first of all. */
  readonly to?: string
  /** Performs the task many times. Resolves to the cost of one time. */
  run(): Promise<F>
}

/** The cost of one time. Tasks are compared by `total`. */
export interface Figures {
  readonly total: number
}

/** Medians over all rounds. */
export type Result<F extends Figures> = F & {
  readonly name: string
  /** Ratio of the total to that of the task that it is compared with, in the same round. */
  readonly ratio: number
}

/** Tells on the standard error how far a benchmark has come, since many take minutes. */
export function reportProgress(done: string): void {
  process.stderr.write(`${done}\n`)
}

/** Makes calls that are not measured, until V8 has compiled what they need. `who`: the server that answers them. */
export async function warmUp(who: string, calls: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now()
  await calls()
  reportProgress(`warmed up ${who} for ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
}

/** Runs the tasks in turn (A B C, A B C …), so that other load of the machine affects all of them equally. */
export async function takeTurns<F extends Figures>(tasks: readonly Task<F>[], rounds: number): Promise<Result<F>[]> {
  const samples = new Map<string, (F & { ratio: number })[]>(tasks.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const totals = new Map<string, number>()
    for (const { name, to = tasks[0]?.name ?? name, run } of tasks) {
      const sample = await run()
      totals.set(name, sample.total)
      samples.get(name)?.push({ ...sample, ratio: sample.total / (totals.get(to) ?? Number.NaN) })
    }
    reportProgress(`round ${round + 1} of ${rounds}`)
  }
  return [...samples].map(([name, taken]) => ({ name, ...medians(taken) }))
}

function medians<F extends object>(samples: readonly F[]): F {
  const figures = Object.keys(samples[0] ?? {}).map((figure) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own name
    const values = samples.map((taken) => Number(taken[figure as keyof F]))
    return [figure, median(values)]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names with other numbers
  return Object.fromEntries(figures) as F
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2
}

/** Text in columns: the first is aligned left, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ')).join('\n')
}
