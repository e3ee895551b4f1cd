import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultConfigFile } from '../../../src/config/default-file.ts'
import { migrations } from '../../../src/store/migrations.ts'

const bin = resolve('dist/bin')
const programs = ['strongroom', 'strongroomd', 'strongroom-keeper', 'strongroom-tokend']
const { version, build } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string; build: number }
const release = `${version}-build${String(build).padStart(4, '0')}`

const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(bin, `${program}.js`), ...args], { encoding: 'utf8' })

describe.each(programs)('%s', (program) => {
  it('says which program it is, without a configuration', () => {
    const { status, stdout, stderr } = run(program, '--version')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.trim().split(' (')[0]).toBe(`${program} ${release}`)
  })

  it('names the default path of the configuration, as config/README.md promises it', () => {
    const { status, stdout } = run(program, '--help')
    expect(status).toBe(0)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(defaultConfigFile)
    expect(readFileSync('config/README.md', 'utf8')).toContain(`by default \`${defaultConfigFile}\``)
  })
})

it.each(['strongroomd', 'strongroom-keeper'])('%s looks there', (program) => {
  // A test must not start the daemon of this machine, where there is one.
  const { status, stderr } = run(program, ...(program === 'strongroomd' ? ['--check'] : []))
  if (status !== 0) expect(stderr).toContain(defaultConfigFile)
})

it('strongroom version tells commit, Node.js and schema, too', () => {
  const { stdout } = run('strongroom', '--json', 'version')
  const commit = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).stdout.trim()
  const answer = JSON.parse(stdout) as Record<string, unknown>
  expect(answer).toMatchObject({ version, build, node: process.versions.node })
  expect(migrations.at(-1)?.name).toMatch(new RegExp(`0*${String(answer['schema'])}$`))
  if (commit !== '') {
    execFileSync('scripts/note-commit')
    expect(JSON.parse(run('strongroom', '--json', 'version').stdout)).toMatchObject({ commit })
  }
  expect(run('strongroom', 'version').stdout).toContain(release)
})
