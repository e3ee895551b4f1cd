import { performance } from 'node:perf_hooks'
import { writeFileSync } from 'node:fs'
import type { Machine } from './machine.ts'

/** A line that an operator types. */
export interface Typed {
  readonly line: string
  /** Output to show in the transcript: matching lines, or this number of last lines. Default: the last twelve. */
  readonly shown?: RegExp | number
  /** Its text in the transcript, where the executed line is longer than what an operator would type. */
  readonly as?: string
}

/** A terminal session that is executed, timed and recorded. */
export interface Session {
  /** Runs the lines one after another and stops at a line that fails. Resolves to their whole output. */
  job(title: string, machine: Machine, lines: readonly (string | Typed)[]): Promise<string>
  /** Adds a sentence below the last job. */
  note(text: string): void
  write(file: string, introduction: string): void
}

interface Job {
  readonly title: string
  readonly seconds: number
  readonly transcript: readonly string[]
  readonly notes: string[]
}

const lastLines = 12

export function createSession(): Session {
  const jobs: Job[] = []
  return {
    async job(title, machine, lines) {
      const transcript: string[] = []
      let [all, totalMs] = ['', 0]
      for (const typed of lines.map((line) => (typeof line === 'string' ? { line } : line))) {
        const startedTick = performance.now()
        const { status, stdout, stderr } = await machine.run(typed.line)
        const ms = performance.now() - startedTick
        const said = stdout + stderr
        if (status !== 0) throw new Error(`${typed.line}: exit code ${status}\n${said.slice(-4000)}`)
        transcript.push(
          `# ${typed.as ?? typed.line}${ms < 1000 ? '' : `    [${seconds(ms)} s]`}`,
          ...essential(said, typed),
        )
        all += said
        totalMs += ms
      }
      jobs.push({ title, seconds: Number(seconds(totalMs)), transcript, notes: [] })
      return all
    },
    note: (text) => jobs.at(-1)?.notes.push(text),
    write: (file, introduction) => writeFileSync(file, documentOf(introduction, jobs)),
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

function essential(said: string, { shown = lastLines }: Typed): string[] {
  const lines = said
    .split('\n')
    .map((line) => line.trimEnd().slice(0, 220))
    .filter((line) => line !== '')
  if (typeof shown !== 'number') return lines.filter((line) => shown.test(line))
  return lines.length <= shown ? lines : ['…', ...lines.slice(lines.length - shown)]
}

function documentOf(introduction: string, jobs: readonly Job[]): string {
  const rows = jobs.map(({ title, seconds: took }, index) => `| ${index + 1} | ${title} | ${took.toFixed(1)} |`)
  const chapters = jobs.map(({ title, seconds: took, transcript, notes }, index) =>
    [
      `## ${index + 1}. ${title}`,
      '',
      `${took.toFixed(1)} s`,
      '',
      '```',
      ...transcript,
      '```',
      ...notes.flatMap((note) => ['', note]),
    ].join('\n'),
  )
  return [
    introduction,
    '',
    '| job | what | seconds |',
    '| --- | --- | --- |',
    ...rows,
    '',
    chapters.join('\n\n'),
    '',
  ].join('\n')
}
