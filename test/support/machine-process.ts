import { spawn, type SpawnOptions } from 'node:child_process'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end without blocking this process, which the test runner considers dead after a minute. */
export function ran(
  program: string,
  args: readonly string[],
  input: string | Buffer = '',
  place: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...place, stdio: ['pipe', 'pipe', 'pipe'] })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text))
    child.on('error', reject)
    child.on('close', (status) => resolve({ status: status ?? -1, ...said }))
    // A program that does not read its input may have ended already.
    child.stdin.on('error', () => undefined).end(input)
  })
}

/** The output of a program. Rejects with the end of its messages when it fails. */
export async function output(program: string, args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await ran(program, args)
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')}: exit code ${status}\n${stdout.slice(-3000)}${stderr.slice(-3000)}`)
}
