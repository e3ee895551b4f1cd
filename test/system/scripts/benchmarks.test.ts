import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const runner = resolve(import.meta.dirname, '../../../bench/run.mjs')

function bench(args: readonly string[], path = process.env['PATH'] ?? '') {
  return spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8', env: { ...process.env, PATH: path } })
}

describe('a benchmark', () => {
  it('names the programs that are missing, and their Debian packages', () => {
    const empty = mkdtempSync(join(tmpdir(), 'strongroom-path-'))
    const { status, stdout, stderr } = bench(['login'], empty)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^This benchmark needs .*ykgenerate.*: apt-get install .*libyubikey-dev.*\n$/)
  })

  it('that is not there is answered with those that are', () => {
    expect(bench(['nothing'])).toMatchObject({ status: 2, stderr: expect.stringContaining('bench:encrypt') })
  })
})
